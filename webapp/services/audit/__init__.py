"""The record of every write: action requests, their chain, proposals, and the proofs that an act breaks."""
