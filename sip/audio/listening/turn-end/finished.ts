/**
 * Classifies words as finished (a full stop, or a Korean or Japanese sentence ending) or as continuing (a comma, or a
 * word such as "and …", "근데 …", "…けど"). The result determines the length of the pause that ends a turn, so a wrong
 * guess costs little time.
 */
export type Finish = 'whole' | 'open' | 'unknown';

const fullStop = /[.?!…。！？]["'”’」』)]*$/u;
const comma = /[,;:、，；：\-–—]$/u;

type Endings = { whole?: RegExp; open: RegExp };

const endings: Readonly<Record<string, Endings>> = {
  ko: {
    whole: /(?:요|니다|니까|세요|죠|네|예|시오)$/u,
    open: /(?:^|\s)(?:그리고|그런데|근데|그래서|하지만|그러니까|그러면|혹시|저기|어|음|그)$|(?:[는은인한운던]데|니까는|지만|아서|어서|려고|하고|이고|다가|면)$/u,
  },
  en: {
    open: /(?:^|\s)(?:and|or|but|so|because|if|with|for|to|of|from|the|a|an|my|your|our|uh|um|er)$/u,
  },
  ja: {
    whole: /(?:です|ます|ました|ません|ください|ですか|ますか|よね|ですね)$/u,
    open: /(?:けど|けれど|から|ので|のに|って|そして|それで|でも|あの|えっと|ええと|は|が|を|に|と|で|て|も)$/u,
  },
};

/** Classifies the text. `language` is BCP 47. */
export const finishOf = (text: string, language: string): Finish => {
  const end = text.trim().toLowerCase();
  if (fullStop.test(end)) return end.endsWith('…') || end.endsWith('...') ? 'open' : 'whole';
  if (comma.test(end)) return 'open';
  const { whole, open } = endings[language.split('-', 1)[0]?.toLowerCase() ?? ''] ?? {};
  if (open?.test(end) === true) return 'open';
  return whole?.test(end) === true ? 'whole' : 'unknown';
};
