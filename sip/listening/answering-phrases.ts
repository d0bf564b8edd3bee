/**
 * Phrases of answering machines and announcements of telephone networks, which people who pick up do not say. Only what
 * tells is here: a receptionist may well offer to take a message.
 */
const phrases: Readonly<Record<string, readonly RegExp[]>> = {
  // Without spaces: recognizers do not agree where they go.
  ko: [
    /(?:삐|신호음|발신음)(?:하는|이라는)?(?:소리)?(?:가|이)?(?:난|나면|울리면|들리면|후|다음|이후)/u,
    /음성(?:사서함|메시지|메세지|녹음)(?:으로|을|를|에|이|가|입니다)/u,
    /(?:메시지|메세지|음성|용건|성함)(?:을|를|과연락처를)?(?:남겨|녹음해)(?:주세요|주시기|주십시오|주시면)/u,
    /(?:전화|연결|통화)(?:를|가|이|연결이)?(?:되지|받을수|받지)(?:않[아습았]|없[어습사]|못[해하])/u,
    /고객(?:님)?(?:이|께서)?(?:전화를|통화중|전원이)/u,
    /전원이꺼져/u,
    /없는번호|결번|당분간(?:통화|착신)|착신이(?:정지|금지)/u,
    /연결된후(?:에는|부터)?통화료/u,
  ],
  en: [
    /(?:after|at|hear) the (?:tone|beep|sound of the tone)/u,
    /(?<!like to |want to |wish to |can |could )leave (?:me |us |him |her )?(?:a|your)(?: short| brief| detailed)? (?:message|name|number)/u,
    /(?:you have|you've|have) reached the (?:voice ?mail|mailbox|answering)/u,
    /(?:voice ?mail|voice ?message|answering) (?:box|service|machine|system)|forwarded to (?:an automated )?voice/u,
    /record your message|mailbox (?:is|has been) full/u,
    /(?:i'm|i am|we're|we are) (?:currently )?(?:not available|unavailable)/u,
    /(?:not available|unable|can't|cannot|can not) (?:right now |at the moment |to )?(?:take|answer|come to) (?:your |the |this )?(?:call|phone)/u,
    /(?:person|subscriber|customer|party|number) you (?:are calling|have called|called|have dialed|dialed|are trying)/u,
    /get back to you as soon as|return your call as soon/u,
  ],
  ja: [
    /(?:ピー|ぴー|発信音|信号音)(?:という|っという|と)?(?:音)?(?:の)?(?:後|あと|のち)/u,
    /(?:電話|でんわ)に出(?:る)?(?:ことが|こと)?(?:でき|られ)(?:ません|ない)/u,
    /留守番(?:電話|サービス)|留守にして/u,
    /(?:メッセージ|伝言|ご用件|お名前)(?:を|と)?(?:ご用件を)?(?:お残し|残して|録音|お入れ|お話し)/u,
    /電源が入っていない|電波の届かない/u,
    /現在使われて(?:おりません|いません)/u,
  ],
};

const withoutSpaces: ReadonlySet<string> = new Set(['ko', 'ja']);

/** Of what is longer, the beginning tells, in characters: one of them may stand for a whole sentence (`ﷺ`). */
const longestRead = 8_000;

/** `language` is BCP 47; in a language without phrases nothing is known. */
export const isSaidByMachine = (text: string, language: string): boolean => {
  const base = language.split('-', 1)[0]?.toLowerCase() ?? '';
  const plain = text
    .slice(0, longestRead)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
    .trim();
  const words = withoutSpaces.has(base) ? plain.replaceAll(' ', '') : plain;
  return phrases[base]?.some((phrase) => phrase.test(words)) ?? false;
};
