"""What measured times mean: intervals, controls, tiers, roofline. Pure functions; nothing here touches a GPU or a clock."""
