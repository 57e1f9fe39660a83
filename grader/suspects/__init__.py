"""Looks for the line of a wrong kernel that one small change makes right. It never decides a verdict."""
