"""What an attacker who can write into a memory achieves: twelve families of attacks, judged by what answers show."""
