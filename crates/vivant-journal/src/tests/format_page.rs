//! format_page
