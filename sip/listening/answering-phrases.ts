/**
 * Phrases of answering machines, announcements of telephone networks, call screening and menus, which people who pick up do not
 * say. Only what tells is here: a receptionist may well offer to take a message, or ask who calls.
 */
import type { AnsweredBy } from '#machines/line.ts';
import { baseLanguage } from '#src/domain/language.ts';

type Phrases = Readonly<Record<string, readonly RegExp[]>>;

const ofMachines: Phrases = {
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
    // Call screening says that somebody screens, or has asked for it.
    /(?:person|subscriber|customer|party|number) you(?: are|'re| have|'ve)? (?:calling|called|dialed|trying to (?:reach|call)) (?:\p{N}+ )*(?:is|has|does|can|will|cannot|can't|isn't|hasn't|doesn't|won't) (?!us|scr|ask)(?:no |in |\p{L}{3})/u,
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

/** A voicemail, whatever else it asks for. */
const ofBeeps: Phrases = {
  ko: [/(?:삐|신호음|발신음)(?:하는|이라는)?(?:소리)?(?:가|이)?(?:난|나면|울리면|들리면|후|다음|이후)/u],
  en: [/leave (?:me |us |him |her )?(?:a|your)(?: short| brief| detailed)? message/u, /voice ?mail|mailbox/u],
  ja: [/(?:ピー|ぴー|発信音|信号音)(?:という|っという|と)?(?:音)?(?:の)?(?:後|あと|のち)/u, /留守番電話/u],
};

/**
 * What an assistant says that answers for its owner (iOS, Google, carriers): it asks for a name and a reason, and may put
 * the call through.
 */
const ofScreening: Phrases = {
  ko: [
    /(?:이름|성함|누구신지|누구인지)(?:과|와|이랑|하고|및)?[\p{L}\p{N}]{0,8}(?:용건|이유|용무|목적)(?:을|를)?[\p{L}\p{N}]{0,6}(?:말씀|말해|알려|이야기|얘기|녹음)(?:해|하)?(?:주세요|주십시오|주시면|주시기|시면|면)/u,
    /(?:용건|이유|용무|목적)(?:을|를)(?:말씀|말해|알려|녹음)(?:해|하)?(?:주시면|시면|면)[\p{L}\p{N}]{0,16}(?:연결|확인|전달)/u,
    /통화(?:가)?가능한지확인|받을수있는지확인/u,
    /(?:통화|전화|발신자)(?:를)?(?:스크리닝|선별)|스크리닝(?:서비스|중|기능)|(?:통화|전화|ai|인공지능)비서(?:가|입니다|서비스)/u,
  ],
  en: [
    /(?<!can you |could you |would you |you please )(?:say|state|record|give|provide|tell me) your (?:full )?name(?:,? and)? (?:why|what|the reason|your reason|reason|the purpose|purpose)/u,
    /(?:say|state|record) your name (?:after|at) the/u,
    /(?:say|tell me|ask) why (?:you're|you are|you) call/u,
    /see if (?:this person|the person|they|he|she)(?: is| are|'s|'re) available/u,
    /screening (?:service|assistant|tool|app)|call ?screen(?:ing|er)?(?: service| assistant)|screen(?:ing|s)? (?:this|your|my|their|his|her|all|unknown|incoming)? ?calls?|asked me to screen/u,
    /(?:google voice|i'll|i will) (?:will )?try to connect you/u,
  ],
  ja: [
    /(?:お名前|名前|お名まえ)(?:と|、|および)?(?:ご用件|用件|通話の理由|電話の理由|お電話の理由|理由|ご用向き)を?(?:お聞かせ|おっしゃって|お伝え|教えて|お知らせ|言って|録音すると)/u,
    /(?:電話に出られる|応答できる|おつなぎできる|お繋ぎできる)か(?:を)?(?:確認|お調べ)/u,
    /(?:着信|通話)スクリーニング|電話アシスタント/u,
  ],
};

/** A menu that lists keys. */
const ofMenus: Phrases = {
  ko: [
    /(?:\p{N}|[영일이삼사오육칠팔구])번(?:을|버튼을)?(?:누르|눌러)|(?:우물정|별)(?:자|표)?(?:를|버튼을)?(?:누르|눌러)/u,
    /내선번호를(?:아시|누르|눌러)/u,
  ],
  en: [
    /(?:press|push|dial) (?:\p{N}|one|two|three|four|five|six|seven|eight|nine|zero|star|pound)(?: |$)/u,
    /(?:enter|dial|know) (?:the|your|their|your party's) (?:\p{N}+ digit )?extension/u,
  ],
  ja: [/(?:\p{N}|[一二三四五六七八九])番?を(?:押|お押し)|(?:数字|番号|内線番号)を(?:押|お押し)/u],
};

/** A receptionist's, however long the greeting is. */
const ofHelp: Phrases = {
  ko: [/무엇을도와|뭘도와|도와드릴까요|도와드리겠습니다|무슨일이(?:십|세)|어떤일로/u],
  en: [
    /(?:how|what) (?:can|may|could) i (?:help|do for|assist)|how (?:may|can|could) i direct your call|this is \p{L}+ speaking|speaking,? how/u,
  ],
  ja: [/ご用件を(?:承り|伺い|お伺い)|いかがなさいました|どのような(?:ご)?用件|どうなさいました/u],
};

/** What an assistant says while it asks its owner: nobody else has come. */
const ofWaiting: Phrases = {
  ko: [
    /기다려주|잠시만요|잠시만기다|끊지말|연결(?:하고있|중|해드리)|확인(?:하고있|중|해보|하겠)|전달(?:하고있|했|하겠)|^감사합니다$|녹음(?:되|됩)|기록(?:되|됩)|전달됩니다/u,
  ],
  en: [
    /(?:stay|remain|hold) on the line|please (?:hold|wait)|(?:hold|hang) on|one moment|just a (?:moment|second)|try(?:ing)? to (?:connect|reach|get)|connect(?:ing)? you|^thanks?(?: you)?$|^got it$|(?:copy|transcript|recording) of th(?:is|e)|is being (?:recorded|transcribed)|^go ahead$/u,
  ],
  ja: [
    /お待ち(?:ください|下さい|くださいませ)|(?:少々|しばらく)お待ち|切らずに|確認(?:して|いたし)|おつなぎ(?:して|いたし)|^ありがとうございます$|録音され|文字起こし/u,
  ],
};

const withoutSpaces: ReadonlySet<string> = new Set(['ko', 'ja']);

/** Of what is longer, the beginning tells, in characters: one of them may stand for a whole sentence (`ﷺ`). */
const longestRead = 8_000;

const plainIn = (text: string, base: string): string => {
  const plain = text
    .slice(0, longestRead)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
    .trim();
  return withoutSpaces.has(base) ? plain.replaceAll(' ', '') : plain;
};

const holds = (words: string, phrases: readonly RegExp[] | undefined): boolean =>
  phrases?.some((phrase) => phrase.test(words)) ?? false;

/** Who says this, where no person does. `language` is BCP 47; in a language without phrases nothing is known. */
export const saidByMachine = (text: string, language: string): Exclude<AnsweredBy, 'human'> | null => {
  const base = baseLanguage(language);
  const words = plainIn(text, base);
  if (holds(words, ofScreening[base]) && !holds(words, ofBeeps[base])) return 'screening';
  if (holds(words, ofMachines[base])) return 'machine';
  return holds(words, ofMenus[base]) ? 'menu' : null;
};

/** Who says this behind call screening; `null`: it is call screening still. */
export const behindScreening = (text: string, language: string): Exclude<AnsweredBy, 'screening'> | null => {
  const by = saidByMachine(text, language);
  if (by === 'machine' || by === 'menu') return by;
  const base = baseLanguage(language);
  return by === 'screening' || holds(plainIn(text, base), ofWaiting[base]) ? null : 'human';
};

/** A person at work has picked up. */
export const offersHelp = (text: string, language: string): boolean => {
  const base = baseLanguage(language);
  return holds(plainIn(text, base), ofHelp[base]);
};

/** An announcement or a voicemail says this. */
export const isSaidByMachine = (text: string, language: string): boolean =>
  saidByMachine(text, language) === 'machine';
