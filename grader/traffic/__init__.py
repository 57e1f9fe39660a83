"""What counted memory traffic means: derived metrics, cost by source line, modelled time. Pure functions; the kit counts."""
