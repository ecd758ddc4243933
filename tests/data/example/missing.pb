


other
