"""What holds for every door on the list of ``benchmarks.doors.ways``: each test is run for each of them."""
