// The comparison page
