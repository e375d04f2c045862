"""What a release is still good for: indices of PWSCUP2015, and each variable before and after."""
