"""What every page needs: sections, rendering of templates, styles, and a content security policy."""
