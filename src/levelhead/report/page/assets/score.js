// The score page
