"""What counted memory traffic means: derived metrics, cost by source line, modelled time, tiers. Pure functions; nothing here counts."""
