module vivant/peer

go 1.22
