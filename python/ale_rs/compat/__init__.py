"""Names of other libraries for what `ale_rs.faces` has."""
