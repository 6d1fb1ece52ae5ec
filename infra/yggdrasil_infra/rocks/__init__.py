"""RocksDB as this system uses it. Its users import ``database``; the rest is how that is done."""
