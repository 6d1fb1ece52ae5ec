"""What an attacker who can write into a memory achieves: twelve families of attacks, judged by what answers show.

An attack is data: ``attacks`` reads and draws it, ``world`` draws what it is done to, ``playing`` does it through the
facade alone, ``judging`` says what came of it. What is particular to one attack stands in ``families``, never in code;
nothing here knows a law.
"""
