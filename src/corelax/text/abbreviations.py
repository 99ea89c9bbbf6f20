"""English abbreviations that keep their full stop, which is not written here."""

# The sentence goes on after these.
TITLES = """
    Mr Mrs Ms Mx Messrs Dr Drs Prof Rev Fr Sr St Ste Mme Mlle Gen Col Maj Capt Cpt Cmdr Lt Sgt Adm Hon Sen
    Rep Gov Pres Supt Mt Ft MR MRS MS DR ST vs cf viz approx ca al div i.e e.g I.e E.g
""".split()

# The sentence may end with these.
ABBREVIATIONS = """
    etc Jr Inc Ltd Co Corp Bros Dept Univ Assn Ave Blvd Rd Ph.D M.Sc B.Sc Ed Eds Esq
    Jan Feb Apr Aug Sept Oct Nov Dec Mon Tues Wed Thurs Fri
    Ala Ariz Calif Colo Conn Del Fla Ga Ill Ind Kan Md Mich Minn Mont Neb Nev Okla Ore Penn Tenn Tex Va Vt
    Wis Wyo
""".split()

# Ordinary words, unless a number follows.
BEFORE_NUMBERS = """
    No Nos no nos Fig Figs fig figs p pp vol Vol ch Ch sec Sec Art art c Mar Jun Jul
""".split()
