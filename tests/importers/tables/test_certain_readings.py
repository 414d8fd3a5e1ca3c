"""What a table certainly means is read without a question, shown as a choice; where figures would differ it asks."""

from datetime import date
from decimal import Decimal

import pytest

from webapp import importers
from webapp.importers import FileRefusedError
from webapp.importers.bank_files import MappingNeededError


def read(text, **mapping):
    return importers.read(text.encode(), mapping=mapping or None)


def amounts(bank_file):
    return [str(line.amount) for each in bank_file.statements for line in each.lines]


def days(bank_file):
    return [line.booked_on for each in bank_file.statements for line in each.lines]


def chosen(bank_file):
    return {each.key: each.value for each in bank_file.columns.chosen}


def asked(text, **mapping):
    with pytest.raises(MappingNeededError) as error:
        read(text, **mapping)
    return error.value.key, error.value.details


@pytest.mark.parametrize(
    "rows",
    [
        "2026:04:07,Fjord,Bergen,NO,-9.10,\n",
        ",2026-04-07,Hire,-90.00\n,2026-04-08,Client,45.00\n",
        "a note\n",
    ],
)
def test_rows_of_which_none_is_read_refuse_the_file_with_the_first(rows):
    with pytest.raises(FileRefusedError, match="row 2 ") as error:
        read(f"Date,Payee,City,Country,Name,Amount,\n{rows}")
    assert rows.strip(",\n").split(",")[0] in str(error.value)


def test_a_header_alone_has_no_transaction_and_a_note_among_lines_is_listed():
    assert "no transaction" in read("Date,Payee,Amount\n").warnings[0]
    found = read("Date,Payee,Amount\n2026-04-01,Hire,-90.00\nsee page two,,\n2026-04-02,Lamp,-4.00\n")
    assert amounts(found) == ["-90.00", "-4.00"]
    assert [(each.row, each.text) for each in found.skipped] == [(3, "see page two")]


STATES = "Date,Text,Amount,State\n2026-04-01,A,-1.00,{}\n2026-04-02,B,-2.00,{}\n2026-04-03,C,-4.00,{}\n"


@pytest.mark.parametrize(
    ("states", "booked", "pending"),
    [
        (("Settled", "On hold", "Uncaptured"), ["-1.00"], ["-2.00", "-4.00"]),
        (("CONTABILIZZATO", "Autorizzato", "In sospeso"), ["-1.00"], ["-2.00", "-4.00"]),
        (("Completed", "Void", "Declined"), ["-1.00"], []),
        (("Sent", "Posted", "Executed"), ["-1.00", "-2.00", "-4.00"], []),
    ],
)
def test_a_status_says_whether_money_moved(states, booked, pending):
    found = read(STATES.format(*states))
    lines = found.statements[0].lines
    assert [str(line.amount) for line in lines if not line.pending] == booked
    assert [str(line.amount) for line in lines if line.pending] == pending
    assert len(lines) + len(found.skipped) == 3


@pytest.mark.parametrize("word", ["ON ICE", "Reversed", "Refunded"])
@pytest.mark.parametrize("mapping", [{}, {"date": "Date", "amount": "Amount", "dateFormat": "%Y-%m-%d"}])
def test_an_unknown_status_is_asked_about_once_and_the_answer_is_remembered(word, mapping):
    text = STATES.format("Completed", word, "Pending")
    key, details = asked(text, **mapping)
    assert (key, details["words"]) == ("pending", [word])
    column, waiting, unmoved, booked = details["pending"]

    answer = [column, waiting, [*unmoved, word], booked]
    found = read(text, **mapping, pending=answer)
    assert amounts(found) == ["-1.00", "-4.00"]
    again = found.columns.mapping
    assert amounts(read(text, **again)) == ["-1.00", "-4.00"]
    other = STATES.format("Completed", "Somewhere", "Pending")
    assert asked(other, **again)[1]["words"] == ["Somewhere"]


def test_a_column_without_a_name_is_one_of_statuses_by_its_words():
    text = "Date,Text,Amount,\n2026-04-01,A,-1.00,booked\n2026-04-02,B,-2.00,declined\n2026-04-03,C,-4.00,pending\n"
    found = read(text)
    assert [(str(line.amount), line.pending) for line in found.statements[0].lines] == [
        ("-1.00", False),
        ("-4.00", True),
    ]


@pytest.mark.parametrize(
    ("name", "cells", "booked", "pending"),
    [
        ("Pending", ("false", "true"), ["-1.00"], ["-2.00"]),
        ("Vorgemerkt", ("", "x"), ["-1.00"], ["-2.00"]),
        ("Posted", ("Yes", "No"), ["-1.00"], ["-2.00"]),
        ("Cancelled", ("N", "Y"), ["-1.00"], []),
        ("Cleared", ("Y", "N"), ["-1.00", "-2.00"], []),
    ],
)
def test_a_column_that_says_yes_or_no_to_a_status_is_one(name, cells, booked, pending):
    text = "Date,Text,Amount,{}\n2026-04-01,A,-1.00,{}\n2026-04-02,B,-2.00,{}\n".format(name, *cells)
    found = read(text)
    for lines in (found.statements[0].lines, read(text, **found.columns.mapping).statements[0].lines):
        assert [str(line.amount) for line in lines if not line.pending] == booked
        assert [str(line.amount) for line in lines if line.pending] == pending


CARD = "Posted,Shop,Amount{}\n2026-05-02,Bakery,{}\n2026-05-03,Cinema,{}\n2026-05-04,Payment,{}\n"


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        (("21.00", "9.00", "+ 250.00"), ""),
        (("21.00 DR", "9.00 DR", "250.00 CR"), ""),
        (("21.00", "9.00", "250.00 CR"), ""),
        (("21.00,", "9.00,", "250.00,CR"), ",Mark"),
        (("21.00,DR", "9.00,DR", "250.00,CR"), ",Mark"),
    ],
)
def test_invert_keeps_the_signs_that_the_file_writes_itself(cells, column):
    text = CARD.format(column, *cells)
    found = read(text, date="Posted", amount="Amount", description="Shop", invert=True)
    assert amounts(found) == ["-21.00", "-9.00", "250.00"]


def test_invert_is_refused_where_every_amount_has_a_sign():
    text = CARD.format("", "-21.00", "-9.00", "+250.00")
    key, details = asked(text, date="Posted", amount="Amount", invert=True)
    assert (key, details["example"]) == ("invert", "+250.00")
    assert amounts(read(text)) == ["-21.00", "-9.00", "250.00"]


def test_a_plus_before_money_in_says_that_the_others_are_money_out():
    found = read(CARD.format("", "21.00", "9.00", "+ 250.00"))
    assert amounts(found) == ["-21.00", "-9.00", "250.00"]
    assert chosen(found) == {"invert": True}


def test_the_day_of_posting_is_chosen_where_it_is_never_before_the_transaction():
    head = "Transaction Date,Posted Date,Description,Debit,Credit\n"
    found = read(f"{head}2026-04-27,2026-05-02,A,30.00,\n2026-05-01,2026-05-02,B,,12.50\n")
    assert amounts(found) == ["-30.00", "12.50"]
    assert days(found) == [date(2026, 5, 2)] * 2
    assert [line.value_on for line in found.statements[0].lines] == [date(2026, 4, 27), date(2026, 5, 1)]
    assert chosen(found) == {"date": "Posted Date"}
    again = read(f"{head}2026-06-05,2026-06-08,A,30.00,\n", **found.columns.mapping)
    assert days(again) == [date(2026, 6, 8)]
    assert asked(f"{head}2026-05-05,2026-05-02,A,30.00,\n2026-05-01,2026-05-02,B,,12.50\n")[0] == "date"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("2026-05-02,A,-30.00,120.00\n2026-05-03,B,20.00,100.00\n", ["30.00", "-20.00"]),
        ("2026-05-02,A,30.00,180.00\n2026-05-03,B,20.00,160.00\n2026-05-04,C,-5.00,165.00\n", None),
    ],
)
def test_the_running_balance_proves_the_sign(rows, expected):
    found = read(f"Date,Text,Amount,Balance\n{rows}")
    assert amounts(found) == (expected or ["-30.00", "-20.00", "5.00"])
    assert chosen(found) == {"invert": True}


def test_stated_balances_prove_the_sign_and_nothing_else_does():
    rows = "2026-05-02,A,-30.00\n2026-05-03,B,12.00\n"
    ends = "Opening balance,,90.00\nClosing balance,,{}\n"
    for closing, expected in (("72.00", ["-30.00", "12.00"]), ("108.00", ["30.00", "-12.00"])):
        found = read(f"Date,Text,Amount\n{rows}{ends.format(closing)}")
        assert amounts(found) == expected
        assert found.statements[0].closing.amount == Decimal(closing)
    assert asked(f"Date,Text,Amount\n{rows}")[0] == "invert"
    assert chosen(read(f"Date,Text,Amount\n{rows}2026-05-04,C,-1.00\n")) == {"invert": False}


def test_days_with_points_are_day_first_and_others_by_another_day_of_the_file():
    assert days(read("Datum;Betrag\n02.03.2026;-1,00\n02.03.2026;-2,00\n")) == [date(2026, 3, 2)] * 2
    rows = "02/03/2026,-1.00,{0}\n02/03/2026,-2.00,{0}\n"
    found = read("Date,Amount,Due\n" + rows.format("28/03/2026"))
    assert days(found) == [date(2026, 3, 2)] * 2
    assert chosen(found)["dateFormat"] == "%d/%m/%Y"
    found = read("Statement 02/03/2026 - 02/28/2026,,\nDate,Amount,Due\n" + rows.format(""))
    assert days(found) == [date(2026, 2, 3)] * 2
    assert asked("Date,Amount,Due\n" + rows.format(""))[0] == "dateFormat"


def test_columns_without_names_are_read_where_the_balances_prove_them():
    found = read(
        "05/13/2026,7,Cheque,40.00,0,210.00\n05/14/2026,0,Pay,0,15.00,225.00\n05/20/2026,8,Rent,25.00,0,200.00\n"
    )
    assert amounts(found) == ["-40.00", "15.00", "-25.00"]
    assert days(found)[0] == date(2026, 5, 13)
    assert {"date", "debit", "credit", "balance"} <= chosen(found).keys()
    found = read("When;What;How much;Left\n02.03.2026;A;-4,00;6,00\n05.03.2026;B;1,50;7,50\n")
    assert amounts(found) == ["-4.00", "1.50"]
    assert found.statements[0].opening.amount == Decimal("10.00")


def test_the_one_number_of_all_rows_is_the_account_and_no_text():
    own, others = "NL91ABNA0417164300", ("DE89370400440532013000", "", "GB29NWBK60161331926819")
    rows = zip((2, 15, 16), others, ("Lamp", "Client", "Fee"), ("500.00", "490.75", "530.75"), strict=True)
    moved = iter(("-9.25", "40.00", "-2.50"))
    text = "".join(
        f"{day:02}-03-2026,{own},{other},EUR,{balance},EUR,{next(moved)},{name}\n"
        for day, other, name, balance in rows
    )
    (statement,) = read(text).statements
    assert (statement.external_id, str(statement.closing.amount)) == (own, "528.25")
    assert [line.description for line in statement.lines] == ["Lamp", "Client", "Fee"]
    # One number alone may as well be that of whom all lines are paid to.
    (statement,) = read(text.replace(others[0], "").replace(others[2], "")).statements
    assert statement.external_id is None


@pytest.mark.parametrize(
    "text",
    [
        # Two days, and nobody says which one is that of booking.
        "AT1;A;03.03.2026;02.03.2026;-4,00\nAT1;B;04.03.2026;04.03.2026;-5,50\n",
        # Prices: no minus, and no balance.
        "2026-03-02,ACME,12.50\n2026-03-03,ACME,12.75\n",
        "Day,Temperature\n2026-03-02,-3.50\n2026-03-03,-2.75\n",
        # The numbers make no balance.
        "2026-03-02,A,-4.00,6.00\n2026-03-03,B,-1.50,4.60\n",
    ],
)
def test_columns_without_names_that_nothing_proves_are_asked_about(text):
    assert asked(text)[0] == "header"


@pytest.mark.parametrize(
    "head",
    [
        "Date de l\u2019opération;Libellé;Montant de l'opération;Devise",
        "F. Operación;Concepto;IMPORTE;Divisa",
        "Data do Movimento;Descrição;Montante;Moeda",
        "Kirjauspäivä;Selite;Summa;Valuutta",
        "Könyvelés napja;Közlemény;Összeg;Devizanem",
        "İŞLEM TARİHİ;Aciklama;Tutar;Para Birimi",
        "Datum knjiženja;Opis;Iznos;Valuta",
        "Ημερομηνία;Περιγραφή;Ποσό;Νόμισμα",
        "Date (UTC);Description;Amount;Currency",
        "PostingDate;Description;Amount;Currency",
        "Data księgowania;Tytuł;Kwota;Waluta",
        "Datum zauctovani;Popis;Castka;Mena",
    ],
)
def test_headers_in_many_languages_are_known_with_and_without_accents(head):
    found = read(f"{head}\n23.03.2026;Alfa;-12,30;EUR\n24.03.2026;Beta;-1,20;EUR\n")
    assert amounts(found) == ["-12.30", "-1.20"]
    assert found.statements[0].currency == "EUR"


@pytest.mark.parametrize(
    "head",
    [
        "Kirjauspäivä;Arvopäivä;Selite;Veloitus;Hyvitys",
        "İşlem Tarihi;Valör;Açiklama;Borç;Alacak",
        "Datum knjiženja;Datum valute;Opis;Terećenje;Odobrenje",
        "Datums;Valutas datums;Apraksts;Debets;Kredīts",
        "Kuupäev;Väärtuspäev;Selgitus;Deebet;Kreedit",
        "Дата;Вальор;Основание;Дебит;Кредит",
        "Datum zaúčtování;Datum valuty;Popis;Na vrub;Ve prospěch",
        "Bogføringsdato;Valørdato;Tekst;Hævet;Indsat",
    ],
)
def test_debits_and_credits_in_many_languages_are_known(head):
    assert amounts(
        read(f"{head}\n23.03.2026;24.03.2026;Alfa;12,30;\n24.03.2026;24.03.2026;Beta;;1,20\n")
    ) == [
        "-12.30",
        "1.20",
    ]


def test_a_day_as_of_another_is_booked_on_the_first_and_a_total_without_a_day_is_skipped():
    text = (
        "Positions as of 05/31/2026\nDate,Action,Text,Amount\n05/18/2026 as of 05/15/2026,Interest,May,$0.60\n"
        "05/17/2026,Buy,Fund,-$20.00\n05/16/2026,Split,Fund,\nTransactions Total,,,-$19.40\n"
    )
    found = read(text, date="Date", amount="Amount", skipWithoutAmount=True)
    first = found.statements[0].lines[0]
    assert (first.booked_on, first.value_on) == (date(2026, 5, 18), date(2026, 5, 15))
    assert amounts(found) == ["0.60", "-20.00"]
    assert [each.row for each in found.skipped] == [1, 5, 6]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # One line is missing behind the third; all others follow.
        (
            "{0},A,12.00,{1}88.00|{0},B,8.00,80.00|{0},C,-30.00,110.00|{0},D,4.00,96.00|{0},E,6.00,90.00|{0},F,5.00,85.00",
            -1,
        ),
        (
            "{0},A,-12.00,88.00|{0},B,-8.00,80.00|{0},C,30.00,110.00|{0},D,-4.00,96.00|{0},E,6.00,102.00|{0},F,-5.00,97.00",
            1,
        ),
    ],
)
def test_a_balance_that_most_lines_follow_proves_the_sign_and_the_gap_is_said(rows, expected):
    lines = [row.format(f"2026-07-0{day}", "") for day, row in enumerate(rows.split("|"), 1)]
    found = read("Date,Text,Amount,Balance\n" + "\n".join(lines))
    assert chosen(found) == {"invert": expected < 0}
    assert ["running balance" in each for each in found.warnings] == [True]
    few = "Date,Text,Amount,Balance\n" + "\n".join(lines[2:])
    assert asked(few)[0] == "invert"


@pytest.mark.parametrize(
    ("head", "rows", "expected"),
    [
        ("initial_balance,final_balance", ("50.00,40.00", "50.00,40.00"), ["-35.00", "25.00"]),
        ("Startsaldo,Eindsaldo", ("50.00,85.00", "85.00,60.00"), ["35.00", "-25.00"]),
        ("Balance before,Balance after", ("50.00,15.00", "15.00,40.00"), ["-35.00", "25.00"]),
    ],
)
def test_balances_around_each_row_or_the_whole_file_prove_the_sign(head, rows, expected):
    is_turned = expected[0] == "35.00"
    cells = ("-35.00", "25.00")
    text = "".join(f"2026-07-0{each + 1},T,{cells[each]},{rows[each]}\n" for each in (0, 1))
    found = read(f"Date,Text,Amount,{head}\n{text}")
    assert amounts(found) == expected
    assert chosen(found) == {"invert": is_turned}
    assert (
        asked(f"Date,Text,Amount,{head}\n{text.replace('40.00', '41.00').replace('60.00', '61.00')}")[0]
        == "invert"
    )


def test_a_balance_before_each_line_is_known_by_the_lines():
    rows = "2026-07-01,A,-12.00,100.00\n2026-07-02,B,30.00,88.00\n2026-07-03,C,-4.00,118.00\n"
    found = read(f"Date,Text,Amount,Balance\n{rows}")
    assert amounts(found) == ["-12.00", "30.00", "-4.00"]
    assert chosen(found)["balanceIs"] == "before"
    statement = found.statements[0]
    assert (statement.opening.amount, statement.closing.amount) == (Decimal("100.00"), Decimal("114.00"))
    assert found.warnings == ()
    again = read(f"Date,Text,Amount,Balance\n{rows}", **found.columns.mapping)
    assert again.statements == found.statements


@pytest.mark.parametrize(
    ("words", "is_turned"),
    [
        (("Incoming transfer", "Debit Transfer"), False),
        (("Gutschrift", "Lastschrift"), False),
        (("Withdrawal", "Cash deposit"), True),
    ],
)
def test_words_in_every_row_prove_the_sign(words, is_turned):
    text = f"Date,Kind,Amount\n2026-07-01,{words[0]},70.00\n2026-07-02,{words[1]},-25.00\n"
    found = read(text)
    assert amounts(found) == (["-70.00", "25.00"] if is_turned else ["70.00", "-25.00"])
    assert chosen(found) == {"invert": is_turned}
    assert asked(f"{text}2026-07-03,Transfer,5.00\n")[0] == "invert"
    assert asked(f"{text}2026-07-03,{words[0]},-5.00\n2026-07-04,x,9.00\n")[0] == "invert"


def test_an_account_by_its_columns_has_a_minus_for_money_out():
    rows = "2026-07-01,A,70.00,x\n2026-07-02,B,-25.00,\n"
    found = read(f"Date,Text,Amount,Partner IBAN\n{rows}")
    assert amounts(found) == ["70.00", "-25.00"]
    assert "Partner IBAN" in found.columns.chosen[0].why
    assert asked(f"Date,Text,Amount,Partner\n{rows}")[0] == "invert"
    assert asked("Date,Text,Amount,Partner IBAN\n2026-07-01,A,70.00,x\n")[0] == "invert"


def test_a_comma_before_the_cents_says_that_the_day_comes_first():
    text = 'Fecha,Texto,Importe\n4/5/2026,A,"-12,50"\n4/5/2026,B,"-3,10"\n'
    found = read(text)
    assert days(found) == [date(2026, 5, 4)] * 2
    assert chosen(found)["dateFormat"] == "%d/%m/%Y"
    assert asked(text.replace('"-12,50"', "-12.50").replace('"-3,10"', "-3.10"))[0] == "dateFormat"


@pytest.mark.parametrize(
    ("currency", "expected"), [("JPY", ["-2500", "-1300"]), ("KWD", ["-2.500", "-1.300"]), ("EUR", None)]
)
def test_the_digits_of_a_currency_tell_thousands_from_cents(currency, expected):
    text = f"Date,Text,Amount,Currency\n2026-07-01,A,-2.500,{currency}\n2026-07-02,B,-1.300,{currency}\n"
    if expected is None:
        assert asked(text)[0] == "decimal"
    else:
        assert amounts(read(text)) == expected


def test_of_two_days_without_names_the_one_in_order_is_that_of_booking():
    rows = [("02.07.2026", "02.07.2026"), ("03.07.2026", "01.07.2026"), ("06.07.2026", "04.07.2026")]
    text = "".join(
        f"{booked};{each};Shop {each};-4,{place}0;EUR\n" for place, (booked, each) in enumerate(rows)
    )
    found = read(f"{text}a note between;;;;\n07.07.2026;08.07.2026;Fee;1,00;EUR\n")
    assert days(found) == [date(2026, 7, 2), date(2026, 7, 3), date(2026, 7, 6), date(2026, 7, 7)]
    assert [str(line.value_on) for line in found.statements[0].lines][1] == "2026-07-01"
    assert len(found.skipped) == 1
    # Both in order: a file may list them by either.
    assert asked(text.replace(";01.07", ";02.07"))[0] == "header"
    # Those in no order are later: they may be the days of booking.
    later = "".join(
        f"{each};{booked};Shop;-4,{place}0;EUR\n"
        for place, (each, booked) in enumerate(
            [("01.07.2026", "05.07.2026"), ("02.07.2026", "03.07.2026"), ("03.07.2026", "04.07.2026")]
        )
    )
    assert asked(later)[0] == "header"


def test_words_for_debit_and_credit_give_the_only_amounts_without_a_name_their_sign():
    rows = "5/13/26,Rent,750.00,debit,Giro\n5/14/26,Client,90.00,credit,Giro\n"
    assert amounts(read(rows)) == ["-750.00", "90.00"]
    assert asked(rows.replace("credit", "other"))[0] == "header"


def test_a_day_of_posting_has_no_time_where_that_of_the_transaction_has_one():
    text = (
        "Transaction date;Posting date;Text;Amount;Status\n2026-07-01 09:10:00;2026-07-02;A;-4.00;Executed\n"
        "2026-07-02 11:20:00;2026-07-04;B;-5.00;Executed\n2026-07-05 12:30:00;;C;-6.00;In progress\n"
    )
    found = read(text)
    assert days(found) == [date(2026, 7, 2), date(2026, 7, 4)]
    assert [line.value_on for line in found.statements[0].lines] == [date(2026, 7, 1), date(2026, 7, 2)]
    assert [each.row for each in found.skipped] == [4]
    assert asked(text.replace("In progress", "Executed"))[0] == "date"


def test_a_stated_balance_with_a_delimiter_too_many_is_read_and_asked_about_where_it_does_not_add_up():
    text = (
        "Data;Addebiti;Accrediti;Descrizione operazioni\n30/06/26;;1.200,00|;SALDO INIZIALE\n"
        "13/07/26;300,00;;AFFITTO\n14/07/26;;45,50;CLIENTE\n31/07/26;;{};|SALDO FINALE\n"
    )
    found = read(text.format("945,50"))
    assert amounts(found) == ["-300.00", "45.50"]
    assert found.statements[0].closing.amount == Decimal("945.50")
    assert asked(text.format("990,50"))[0] == "leaveOut"
    assert asked(text.format("9x4"))[0] == "leaveOut"


def test_the_currency_of_the_booked_amount_is_the_one_of_the_account():
    text = (
        "Date,Text,Original amount,Transaction currency,Billing amount,Billing currency\n"
        "2026-07-01,A,-10.00,USD,-9.10,EUR\n2026-07-02,B,-4.00,EUR,-4.00,EUR\n"
    )
    found = read(text)
    assert (found.statements[0].currency, amounts(found)) == ("EUR", ["-9.10", "-4.00"])


@pytest.mark.parametrize(
    ("row", "skipped"),
    [
        (",,Total,-50.00", "Total -50.00"),
        (",Total,,50.00", "Total 50.00"),
        (",EUR,Closing balance,975.50", "EUR Closing balance 975.50"),
        ("2026-03-31,Total,,-50.00", "Total"),
        (",,Total,-51.00", None),
        (",Card,Total Energies,-50.00", None),
    ],
)
def test_a_sum_is_known_by_its_word_in_any_cell_where_it_adds_up(row, skipped):
    text = (
        "Date,Kind,Text,Amount\n2026-03-02,Card,A,-40.00\n2026-03-03,Card,B,-15.50\n2026-03-13,In,C,5.50\n"
        f"{row}\n"
    )
    if skipped is None:
        with pytest.raises(FileRefusedError, match=r"Row 5, column 1 .* an amount and no date"):
            read(text)
        return
    found = read(text)
    assert amounts(found) == ["-40.00", "-15.50", "5.50"]
    assert [(each.row, each.text) for each in found.skipped] == [(5, skipped)]


OWED = "Card No.,Date,Text,{}Balance\n"


def test_what_is_owed_on_a_card_proves_no_sign_and_is_a_balance_below_zero():
    rows = "1,2026-03-01,A,30.00,30.00\n1,2026-03-02,B,12.00,42.00\n1,2026-03-09,C,-2.00,40.00\n"
    text = f"{OWED.format('Amount,')}{rows}"
    assert asked(text)[0] == "invert"
    columns = "1,2026-03-01,A,30.00,,30.00\n1,2026-03-02,B,12.00,,42.00\n1,2026-03-09,C,,2.00,40.00\n"
    for found in (read(text, invert=True), read(f"{OWED.format('Debit,Credit,')}{columns}")):
        assert amounts(found) == ["-30.00", "-12.00", "2.00"]
        (statement,) = found.statements
        assert (str(statement.opening.amount), str(statement.closing.amount)) == ("0.00", "-40.00")
        assert not found.columns.contradicted
        assert "what is owed" in found.warnings[0]


@pytest.mark.parametrize(
    ("head", "rows", "is_read"),
    [
        ("Text,Amount,Balance", ("A,30.00,30.00", "B,12.00,42.00", "C,-2.00,40.00"), False),
        (
            "Text,Amount",
            ("Opening balance,5.00", "A,30.00", "B,12.00", "C,-2.00", "Closing balance,45.00"),
            False,
        ),
        (
            "Opening balance,Text,Amount,Closing balance",
            ("5,A,30.00,35", "35,B,12.00,47", "47,C,-2.00,45"),
            False,
        ),
        ("Text,Amount,Balance", ("A,30.00,-70.00", "B,12.00,-58.00", "C,-2.00,-60.00"), True),
        ("IBAN,Amount,Balance", ("A,30.00,30.00", "B,12.00,42.00", "C,-2.00,40.00"), True),
        ("Text,Amount,Balance", ("A,30.00,30.00", "B,-12.00,18.00", "C,-2.00,16.00"), True),
    ],
)
def test_balances_that_may_be_owed_on_a_card_prove_no_sign(head, rows, is_read):
    text = "\n".join([f"Date,{head}", *(f"2026-03-0{day},{row}" for day, row in enumerate(rows, 1))])
    if is_read:
        assert chosen(read(text)) == {"invert": False}
    else:
        assert asked(text)[0] == "invert"


def test_who_says_that_amounts_are_money_out_has_owed_balances_below_zero():
    text = "Date,Text,Amount,Balance\n2026-03-01,A,30.00,30.00\n2026-03-02,B,12.00,42.00\n2026-03-09,C,-2.00,40.00\n"
    found = read(text, invert=True)
    assert (amounts(found), found.columns.contradicted) == (["-30.00", "-12.00", "2.00"], ())
    assert str(found.statements[0].closing.amount) == "-40.00"
    assert str(read(text, invert=False).statements[0].closing.amount) == "40.00"


def test_accounts_of_one_file_whose_balances_prove_opposite_signs_are_refused():
    giro = "Giro,2026-03-01,A,-5.00,95.00\nGiro,2026-03-02,B,-2.00,93.00\n"
    card = "Visa,2026-03-01,C,3.00,-3.00\nVisa,2026-03-02,D,1.00,-4.00\n"
    with pytest.raises(FileRefusedError, match="Account Giro and Account Visa: by their balances"):
        read(f"Account,Date,Text,Amount,Balance\n{giro}{card}")


def test_days_with_an_unusual_mark_are_asked_about_with_the_formats_that_read_them():
    text = "Date,Text,Amount\n2026:03:02,A,-5.00\n"
    key, details = asked(text)
    assert (key, details["dateFormats"]) == ("dateFormat", ["%Y:%m:%d"])
    assert days(read(text, dateFormat="%Y:%m:%d")) == [date(2026, 3, 2)]
