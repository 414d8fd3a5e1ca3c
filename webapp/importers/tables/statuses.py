"""The status of a row: whether its money moved, by three closed lists of words in many languages."""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from webapp.importers.balance_lines import folded_name
from webapp.importers.bank_files import MappingNeededError
from webapp.importers.texts import quoted

_LONGEST: Final = 20
MOST_STATUSES: Final = 6


def folded_words(texts: Iterable[str]) -> frozenset[str]:
    """Return words as they are compared: without case, accents and spaces around them."""
    return frozenset(" ".join(folded_name(text).replace("_", " ").split()) for text in texts)


def _listed(text: str) -> frozenset[str]:
    return folded_words(text.split(";"))


PENDING: Final = _listed("""
    ausstehend; authorised; authorized; autorizado; autorizzato; autorizzata; autorisé; en attente; en cours; en
    espera; en proceso; hold; in attesa; in sospeso; in behandeling; in bearbeitung; in process; in progress; in
    review; non contabilizzato; nicht gebucht; not posted; offen; oczekująca; oczekujące; on hold; pendente;
    pendiente; pending; pending completion; processing; reserverad; reserveret; reserverat; reservert;
    reservation; uncaptured; uncleared; unposted; umsatz vorgemerkt; varaus; vorgemerkt; v reserve; čekající;
    čeká; beklemede; provizyon; függőben; εκκρεμεί; în așteptare; laukiama; rezervuota; w realizacji; awaiting;
    scheduled; geplant; requires capture; в обработке; ожидает; холд; 处理中; 待处理
""")
BOOKED: Final = _listed("""
    booked; cleared; complete; completed; concluded; confirmed; done; executed; finished; issued; ok; paid; posted;
    processed; received; sent; settled; success; successful; succeeded; available; captured; reconciled;
    gebucht; verbucht; abgeschlossen; ausgeführt; erledigt; umsatz gebucht; bezahlt; erfolgreich;
    contabilizzato; contabilizzata; contabile; eseguito; eseguita; completato; completata; concluso; saldato;
    confermato; contabilizado; completado; completada; ejecutado; ejecutada; realizado; realizada; efectuado;
    liquidado; pagado; concluído; concluída; efetuado; contabilizada; concluida; comptabilisé; comptabilisée;
    effectué; effectuée; exécuté; terminé; validé; geboekt; verwerkt; uitgevoerd; voltooid; bokförd; bokført;
    bogført; utförd; utført; gennemført; zaksięgowana; zaksięgowano; zaksięgowany; zrealizowana; zrealizowano;
    wykonana; wykonano; rozliczona; zaúčtováno; zaúčtovaná; zaúčtované; provedeno; kirjattu; toteutunut;
    maksettu; könyvelt; teljesült; teljesítve; tamamlandi; gerçekleşti; izvršeno; provedeno; ολοκληρώθηκε;
    εκτελέστηκε; finalizat; finalizată; efectuată; efectuat; įvykdyta; įskaityta; исполнено; исполнен;
    проведено; проведен; выполнен; выполнено; успешно; 交易成功; 成功; 支付成功;
    已完成; 已入账; 已存入零钱; 朋友已收钱; 对方已收钱; 已转账
""")
# Rows of these moved no money, or took it back at once.
UNMOVED: Final = _listed("""
    abgelehnt; annullato; annullata; annulé; annulée; anulada; anulado; anulowana; avvist; avvisad; cancelado;
    cancelada; canceled; cancelled; declined; denied; error; expired; failed; failure; fehlgeschlagen;
    geannuleerd; geweigerd; iptal; nicht ausgeführt; odrzucona; rechazado; rechazada; recusado; refusé; refusée;
    refused; rejected; respinta; respinto; reverted; rifiutato; rifiutata; storniert; void; voided; zamítnuto;
    zrušeno; отказ; отклонен; отклонено; отменен; отменено; 交易关闭; 失败; 已关闭
""")
_MOVED_OR_NOT: Final = PENDING | UNMOVED
# Names of a column that says of each row whether it is booked; cleared and reconciled are marks of a person.
_BOOKED_NAMES: Final = BOOKED & _listed("""
    booked; posted; settled; gebucht; verbucht; contabilizzato; contabilizzata; contabilizado; contabilizada;
    comptabilisé; comptabilisée; geboekt; bokförd; bokført; bogført; zaksięgowana; zaksięgowano; zaúčtováno
""")
_YES: Final = _listed("yes; y; true; t; 1; x; ja; j; si; oui; sim; tak; ano; igen; да; evet; ✓")
_NO: Final = _listed("no; n; false; f; 0; nein; non; não; nee; nej; nie; ne; nem; нет; hayir; -")


class StatusWords(NamedTuple):
    """The words of a status column, as `folded_words` writes them.

    Where `booked` is None, every other word is that of a booked row; else the lists above are known too.
    """

    pending: frozenset[str]
    unmoved: frozenset[str] = frozenset()
    booked: frozenset[str] | None = None

    def is_pending(self, text: str) -> bool:
        """Return whether a row with this status has yet to be booked."""
        return self._is(text, self.pending, PENDING)

    def is_unmoved(self, text: str) -> bool:
        """Return whether a row with this status moved no money."""
        return self._is(text, self.unmoved, UNMOVED)

    def _is(self, text: str, words: frozenset[str], known: frozenset[str]) -> bool:
        folded = folded_words([text])
        named = folded <= self.pending | self.unmoved | (self.booked or frozenset())
        return folded <= words or (self.booked is not None and not named and folded <= known)

    def refuse_unknown(self, texts: Collection[str], named: str, column: object) -> None:
        """Ask about a word that is in none of the lists; raises MappingNeededError."""
        if self.booked is None:
            return
        known = self.pending | self.unmoved | self.booked | _MOVED_OR_NOT | BOOKED
        unknown = sorted(text for text in texts if text and not folded_words([text]) <= known)
        if unknown:
            found = (
                [text for text in sorted(texts) if self.is_pending(text)],
                [text for text in sorted(texts) if self.is_unmoved(text)],
                [text for text in sorted(texts) if folded_words([text]) <= self.booked | BOOKED],
            )
            raise MappingNeededError(
                f"It is unknown whether money moved in rows with {quoted(unknown[0])} in {named}; say so in a mapping,"
                " as pending: [column, [words of pending rows], [words of rows that moved no money], [words of booked"
                " rows]].",
                "pending",
                example=unknown[0],
                words=unknown,
                pending=[column, *found],
            )


KNOWN: Final = StatusWords(PENDING, UNMOVED, BOOKED)


def answers_of(name: str, texts: Iterable[str]) -> StatusWords | None:
    """Return the words of a column that is named by a status, and says yes or no of each row; None for any other.

    >>> answers_of("is_pending", ["true", "false"]).is_pending("True"), answers_of("Booked", ["Y", "N"]).is_pending("n")
    (True, True)
    >>> answers_of("Pending", ["12.00"]) is answers_of("Cleared", ["Y", "N"]) is None
    True
    """
    named = {each.removeprefix("is ") for each in folded_words([name])}
    words = folded_words(filter(None, texts))
    if not words or not words <= _YES | _NO:
        return None
    if named <= PENDING:
        return StatusWords(_YES, booked=_NO)
    if named <= UNMOVED:
        return StatusWords(frozenset(), _YES, _NO)
    return StatusWords(_NO, booked=_YES) if named <= _BOOKED_NAMES else None


def may_be_status(texts: Collection[str], *, is_named: bool) -> bool:
    """Return whether a column of these values says of each row whether its money moved.

    A note may be such a word too; a column of statuses has few and short values. One that is named so always is.
    """
    words = {text for text in texts if text}
    if is_named:
        return bool(words)
    is_short = len(words) <= MOST_STATUSES and all(len(text) <= _LONGEST for text in words)
    return is_short and not folded_words(words).isdisjoint(_MOVED_OR_NOT)
