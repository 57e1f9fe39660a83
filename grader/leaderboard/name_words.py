"""The words that made pseudonyms consist of: an adjective and an animal. None of them says anything about speed or skill."""

from __future__ import annotations

ADJECTIVES = (
    *(
        "amber",
        "ancient",
        "arctic",
        "autumn",
        "azure",
        "bamboo",
        "blue",
        "bronze",
        "calm",
        "cedar",
        "cheerful",
        "cloudy",
    ),
    *(
        "cobalt",
        "copper",
        "coral",
        "cosmic",
        "crimson",
        "crystal",
        "curious",
        "dancing",
        "desert",
        "distant",
        "emerald",
    ),
    *("evening", "floral", "forest", "friendly", "frosty", "gentle", "golden", "green", "happy", "hazel", "hidden"),
    *("humming", "indigo", "ivory", "jade", "jolly", "kind", "lilac", "linen", "lunar", "magenta", "maple", "marble"),
    *("merry", "mint", "misty", "morning", "mossy", "northern", "ocean", "olive", "orange", "patient", "pearl", "pine"),
    *("polar", "purple", "quiet", "rainy", "rosy", "ruby", "sandy", "scarlet", "silent", "silver", "singing", "snowy"),
    *("solar", "southern", "spring", "starry", "summer", "sunny", "teal", "tidal", "turquoise", "velvet", "violet"),
    *("wandering", "winter", "wooden", "yellow"),
)
ANIMALS = (
    *("albatross", "alpaca", "antelope", "armadillo", "avocet", "badger", "beaver", "bison", "bittern", "bobcat"),
    *("buffalo", "bullfinch", "camel", "caribou", "chamois", "chinchilla", "cormorant", "cougar", "crane", "cricket"),
    *("curlew", "dolphin", "dormouse", "dragonfly", "dunlin", "eider", "falcon", "ferret", "finch", "firefly"),
    *("flamingo", "fox", "gannet", "gazelle", "gecko", "gibbon", "giraffe", "goldfinch", "grouse", "hamster"),
    *("hedgehog", "heron", "hoopoe", "ibex", "iguana", "jackdaw", "jaguar", "kestrel", "kingfisher", "kiwi"),
    *("koala", "lapwing", "lemur", "leopard", "linnet", "llama", "lobster", "lynx", "magpie", "marmot", "marten"),
    *("meerkat", "moose", "narwhal", "newt", "nightingale", "octopus", "oriole", "osprey", "otter", "owl"),
    *("panda", "panther", "pelican", "penguin", "plover", "porcupine", "puffin", "quail", "rabbit", "raccoon"),
    *("raven", "reindeer", "robin", "salmon", "seahorse", "seal", "sparrow", "squirrel", "starling", "stork"),
    *("swallow", "swan", "tapir", "tiger", "toucan", "turtle", "walrus", "weasel", "wombat", "woodpecker", "zebra"),
)
