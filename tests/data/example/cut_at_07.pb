



k