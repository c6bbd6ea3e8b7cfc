# Bash
