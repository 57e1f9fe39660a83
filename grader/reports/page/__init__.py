"""What every page is made of: sections, templates, a style and a policy."""
