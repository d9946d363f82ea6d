// The ranking page
