/**
 * Phrases that identify answering machines, network announcements, call screening and menus. The lists omit phrases
 * that people use when they answer: a receptionist also offers to take a message or asks who is calling.
 */
import type { AnsweredBy } from '#machines/line.ts';
import { baseLanguage } from '#src/domain/language.ts';

type Phrases = Readonly<Record<string, readonly RegExp[]>>;

const ofMachines: Phrases = {
  // Korean patterns match text without spaces, because recognizers put spaces in different places.
  ko: [
    /(?:삐|신호음|발신음)(?:하는|이라는)?(?:소리)?(?:가|이)?(?:난|나면|울리면|들리면|후|다음|이후|하면)/u,
    /음성(?:사서함|메시지|메세지|녹음)(?:으로|을|를|에|이|가|입니다)/u,
    /(?:메시지|메세지|음성|용건|성함)(?:을|를|과연락처를)?(?:남겨|녹음해)(?:주세요|주시기|주십시오|주시면)/u,
    /(?:전화|연결|통화)(?:를|가|이|연결이)?(?:되지|받을수|받지)(?:않[아습았]|없[어습사]|못[해하])/u,
    /고객(?:님)?(?:이|께서)?(?:전화를|통화중|전원이)/u,
    /(?:전원이|전화기가|휴대폰이|휴대전화가)꺼져/u,
    /소리샘|남기실말씀|없는번호|결번/u,
    /(?:통화|착신|수신|발신)(?:이|가|은)?(?:일시|당분간)?(?:정지|금지|제한|중지)|당분간(?:통화|착신|수신|발신)/u,
    /(?:업무|영업|상담|진료|운영|근무)시간(?:이|은)?(?:아니|아닙|종료|끝났|마감|지났)|(?:업무|영업|상담|진료)(?:이|가)?(?:종료|마감)되었/u,
    /통화중이(?:오니|므로)|통화중입니다|통화량이많아|(?:사용되지않|사용하지않|잘못된)는?번호|국번이없|요금이부과/u,
    /(?:다시|이후에|후에)(?:걸어|전화해|전화하여|연락해)주(?:시기바랍|십시오)/u,
    /연결된후(?:에는|부터)?통화료/u,
  ],
  en: [
    /(?:after|at|hear) the (?:tone|beep|sound of the tone)/u,
    /(?<!like to |want to |wish to |can |could )leave (?:me |us |him |her )?(?:a|your)(?: short| brief| detailed)? (?:message|name|number|details)/u,
    /(?:you have|you've|have) reached the (?:voice ?mail|mailbox|answering)/u,
    /(?:voice ?mail|voice ?message|answering) (?:box|service|machine|system)|forwarded to (?:an automated )?voice/u,
    /record your message|mailbox (?:is|has been) full/u,
    /(?:i'm|i am|we're|we are) (?:currently )?(?:not available|unavailable)/u,
    /(?:not available|unable|can't|cannot|can not) (?:right now |at the moment |to )?(?:take|answer|come to) (?:your |the |this )?(?:call|phone)/u,
    // The lookahead excludes "has asked us" and "is screening", which are phrases of call screening.
    /(?:person|subscriber|customer|party|number) you(?: are|'re| have|'ve)? (?:calling|called|dialed|trying to (?:reach|call)) (?:\p{N}+ )*(?:is|has|does|can|will|cannot|can't|isn't|hasn't|doesn't|won't) (?!us|scr|ask)(?:no |in |\p{L}{3})/u,
    /get back to you as soon as|return your call as soon|you know what to do/u,
    /(?:office|offices|store|shop|clinic|lines?) (?:is|are) (?:now |currently |presently )?closed|(?:office|business|opening|our) hours are/u,
    /(?:phone|mobile|handset|number)(?: [\p{L}']+){0,5} (?:switched|turned|powered) off|(?:switched|turned|powered) off or|out of (?:the )?(?:coverage|service area|range|network)/u,
    /(?:not|no longer) in (?:service|use)|been disconnected|(?:cannot|could not|can't) be (?:completed|connected|reached)|circuits are busy|dialed an? (?:incorrect|invalid|wrong)|(?:user|subscriber|customer|extension) is (?:currently )?busy/u,
    /please hang up|away from my (?:desk|phone)|(?:we're|we are|i'm|i am) not (?:at )?home|(?:missed your|sorry i missed) call|can't pick up|closed for the/u,
  ],
  ja: [
    /(?:ピー|ぴー|発信音|信号音)(?:という|っという|と)?(?:音)?(?:の)?(?:後|あと|のち)/u,
    /(?:電話|でんわ)に出(?:る)?(?:ことが|こと)?(?:でき|られ)(?:ません|ない)/u,
    /留守番(?:電話|サービス)|留守にして/u,
    /(?:メッセージ|伝言|ご用件|お名前|電話番号|連絡先)(?:を|と)?(?:ご用件を)?(?:お残し|残して|録音|お入れ|お話し)/u,
    /電源が入っていない|電波の届かない/u,
    /現在(?:使われて|お取り扱いして)(?:おりません|いません)|(?:ご都合|ご希望|お申し出)により|お出になりません|お呼びしました/u,
    /(?:しばらく|時間を|番号をお確かめ)\p{L}{0,10}おかけ直しください|つながりにくく|メッセージをどうぞ/u,
    /(?:営業|受付|診療|業務)(?:は|を)?(?:終了|いたして|致して)|(?:営業|受付|診療|業務)時間(?:は|外|が)/u,
  ],
};

/** Phrases of voicemails, which also ask for a name. */
const ofBeeps: Phrases = {
  ko: [/(?:삐|신호음|발신음)(?:하는|이라는)?(?:소리)?(?:가|이)?(?:난|나면|울리면|들리면|후|다음|이후)/u],
  en: [/leave (?:me |us |him |her )?(?:a|your)(?: short| brief| detailed)? message/u, /voice ?mail|mailbox/u],
  ja: [/(?:ピー|ぴー|発信音|信号音)(?:という|っという|と)?(?:音)?(?:の)?(?:後|あと|のち)/u, /留守番電話/u],
};

/**
 * Phrases of an assistant that answers for its owner (iOS, Google, carriers), which names itself or says what it does.
 */
const ofAssistants: Phrases = {
  ko: [
    /(?:통화|전화|발신자)(?:를)?(?:스크리닝|선별)|스크리닝(?:서비스|중|기능)|(?:통화|전화|ai|인공지능)비서(?:가|입니다|서비스)/u,
    /(?:빅스비|비서|어시스턴트|인공지능|ai)(?:가|이)(?:대신|먼저|전화)|(?:텍스트|문자|글)로(?:변환|바뀌|전달)|(?:모르는|등록되지않은)번호/u,
    /(?:전화(?:를)?거신|거신|전화(?:를)?주신)분(?:의|을|이|께서)?[\p{L}]{0,10}(?:이름|성함|확인하고있|누구신지)|발신자(?:를|의신원을)?확인하고있/u,
    /통화(?:가)?가능한지확인|받을수있는지확인/u,
  ],
  en: [
    /screening (?:service|assistant|tool|app)|call ?screen(?:ing|er)?(?: service| assistant)|screen(?:ing|s)? (?:this|your|my|their|his|her|all|unknown|incoming)? ?calls?|asked me to screen/u,
    /(?:call|calling|virtual|automated|automatic|digital|ai|a i) assistant|an assistant to (?:answer|screen)|calls? (?:to this \p{L}+ )?(?:is|are) (?:being )?screened|unknown callers?/u,
    /(?:asked|told) (?:us|me) to (?:find out|ask|check|verify) who|(?:if|whether) (?:this person|the person) is available/u,
    /(?:google voice|i'll|i will) (?:will )?try to connect you/u,
  ],
  ja: [
    /スクリーニング|電話アシスタント|文字(?:で|に)(?:表示|起こ|お伝え)/u,
    /(?:アシスタント|ai|人工知能|自動音声)(?:が|で)(?:代わりに|かわりに|代理で)?(?:応答|お受け|受け|対応|お伺い)/u,
    /(?:電話に出られる|応答できる|おつなぎできる|お繋ぎできる)か(?:を)?(?:確認|お調べ)/u,
    /迷惑電話\p{L}{0,16}(?:お名前|名前)|(?:発信者|お電話の方|かけてきた方)の?(?:お名前)?(?:を|の)?(?:確認を?して|確認中)/u,
  ],
};

/** Phrases of an assistant that asks the caller for a name and a reason. */
const ofScreening: Phrases = {
  ko: [
    /(?:이름|성함|누구신지|누구인지)(?:과|와|이랑|하고|및)?[\p{L}\p{N}]{0,8}(?:용건|이유|용무|목적)(?:을|를)?[\p{L}\p{N}]{0,6}(?:말씀|말해|알려|이야기|얘기|녹음)(?:해|하)?(?:주세요|주십시오|주시면|주시기|시면|면)/u,
    /(?:용건|이유|용무|목적)(?:을|를)(?:말씀|말해|알려|녹음)(?:해|하)?(?:주시면|시면|면)[\p{L}\p{N}]{0,16}(?:연결|확인|전달)/u,
  ],
  en: [
    /(?<!(?:can|could|would|will) you (?:please )?)(?:say|state|record|give|provide|tell me) your (?:full )?name(?:,? and)? (?:why|what|the reason|your reason|reason|the purpose|purpose)/u,
    /(?:say|state|record) your name (?:after|at) the/u,
    /(?:say|tell me|ask) why (?:you're|you are|you) call/u,
    /see if (?:they|he|she)(?: is| are|'s|'re) available/u,
  ],
  ja: [
    /(?:お名前|名前|お名まえ)(?:と|、|および)?(?:ご用件|用件|通話の理由|電話の理由|お電話の理由|理由|ご用向き)を?(?:お聞かせ|おっしゃって|お伝え|教えて|お知らせ|言って|録音すると)/u,
    /(?:ご用件|お名前)\p{L}{0,8}(?:お話し|おっしゃって|お聞かせ|お伝え)いただ(?:ければ|くと|けますと|けましたら)/u,
  ],
};

/** Requests for the caller's name, which identify call screening only together with `ofHolding`. */
const ofNames: Phrases = {
  ko: [
    /(?:이름|성함|누구신지)(?:과|와|이랑|을|를)?\p{L}{0,14}(?:말씀|말해|녹음)(?:하시고|하신|해주세요|해주십시오|해주시고|하고)/u,
  ],
  en: [
    /(?<!(?:can|could|would|will) you (?:please )?)(?:say|state|record|give|provide|tell me|speak) your (?:full )?name/u,
  ],
  ja: [/(?:お名前|名前)を?(?:と\p{L}{1,8})?(?:を)?(?:おっしゃって|お話し|録音して|言って)/u],
};

/** Phrases of an assistant that lets the caller wait, or promises to put the call through. */
const ofHolding: Phrases = {
  ko: [/끊지말|기다려주(?:세요|십시오|시기|시면)|연결(?:해|하여)?(?:드립니다|드리겠습니다|됩니다)/u],
  en: [
    /(?:stay|remain|hold) on the line|(?:please|then|and) hold|(?:connect|put) you|be connected|is available|can take/u,
  ],
  ja: [/そのままお待ち|切らずに|おつなぎ(?:し|いた|でき)|お繋ぎ(?:し|いた)/u],
};

/** Wording by which people ask who calls and why, and which announcements do not use. */
const ofPeople: Phrases = {
  ko: [/(?:드릴|할|볼|줄)게요|바꿔드|누구시(?:죠|에요|예요|지요)|잠깐만요|(?:실|을|할)까요|시겠어요/u],
  en: [
    /who's this|who is this|(?:may|can|could) i (?:ask|have|get)|let me (?:see|check|get)|i'll (?:go )?(?:get|grab) /u,
  ],
  ja: [/よろしいでしょうか|どちら様|どちらさま|ちょっと/u],
};

/** Menus that list digits. */
const ofMenus: Phrases = {
  ko: [
    /(?:\p{N}|[영일이삼사오육칠팔구])번(?:을|버튼을)?(?:누르|눌러)|(?:우물정|별|샵|샾)(?:자|표)?(?:를|을|버튼을)?(?:누르|눌러)/u,
    /내선번호를(?:아시|알고|누르|눌러)/u,
    /\p{N}번(?:은|,)?\p{L}{1,14}\p{N}번(?:을|입니다|을선택|번호)?|(?:메뉴|언어|서비스)를(?:선택|골라|말씀)/u,
  ],
  en: [
    /(?:press|push|dial) (?:\p{N}|one|two|three|four|five|six|seven|eight|nine|zero|star|pound)(?: |$)/u,
    /(?:enter|dial|know) (?:the|your|their|your party's) (?:\p{N}+ digit )?extension/u,
    /press (?:the|any) (?:\p{L}+ )?(?:key|button|pound|star|hash)|(?:menu|following) options|options (?:have|has) changed|main menu|(?:select|choose) from the following|followed by the (?:pound|hash|star|number)|you can say (?:things )?like/u,
  ],
  ja: [
    /(?:\p{N}|[一二三四五六七八九零]|ゼロ)番?を(?:押|お押し)|(?:数字|番号|内線番号)を(?:押|お押し)/u,
    /(?:番号|メニュー|言語)(?:を|から)(?:お選び|選んで|ご選択|選択)|(?:シャープ|こめじるし|米印)(?:ボタン)?を(?:押|お押し)/u,
  ],
};

/** Offers of help, and questions, which identify a receptionist even after a long greeting. */
const ofHelp: Phrases = {
  ko: [
    /무엇을도와|뭘도와|도와드릴까요|도와드리겠습니다|무슨일이(?:십|세)|어떤일로/u,
    /(?:드릴까요|실까요|신가요|시겠어요|시겠습니까|으세요)(?!\p{L}{0,20}누르)/u,
  ],
  en: [
    /(?:how|what) (?:can|may|could) i (?:help|do for|assist)|how (?:may|can|could) i direct your call|this is \p{L}+ speaking|speaking,? how/u,
    /(?:you're|you are) speaking (?:with|to)|would you like (?:me )?to|are you calling (?:about|for|to)|can i (?:take|get|have|ask)|may i (?:take|ask)|do you have an appointment/u,
  ],
  ja: [
    /ご用件を(?:承り|伺い|お伺い)|いかがなさいました|どのような(?:ご)?用件|どうなさいました/u,
    /でしょうか|ますでしょうか|いただけますか|よろしいですか/u,
  ],
};

/** Phrases that call screening says while it asks its owner, before a person has answered. */
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

/**
 * Maximum number of characters of a text that are examined, because one character may normalize to a whole sentence
 * (`ﷺ`).
 */
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

/**
 * Returns the kind of machine that says this text, or `null` if a person may say it. `language` is BCP 47; a language
 * without phrases yields `null`.
 */
export const saidByMachine = (text: string, language: string): Exclude<AnsweredBy, 'human'> | null => {
  const base = baseLanguage(language);
  const words = plainIn(text, base);
  const asksToHold = holds(words, ofHolding[base]);
  const asksWhoCalls = holds(words, ofScreening[base]) || (asksToHold && holds(words, ofNames[base]));
  const isAssistant = holds(words, ofAssistants[base]) || (asksWhoCalls && !holds(words, ofPeople[base]));
  const recordsMessage = holds(words, ofBeeps[base]) && !asksToHold;
  if (isAssistant && !recordsMessage) return 'screening';
  if (holds(words, ofMachines[base])) return 'machine';
  return holds(words, ofMenus[base]) ? 'menu' : null;
};

/** Returns the kind of answerer after call screening, or `null` while screening continues. */
export const behindScreening = (text: string, language: string): Exclude<AnsweredBy, 'screening'> | null => {
  const by = saidByMachine(text, language);
  if (by === 'machine' || by === 'menu') return by;
  const base = baseLanguage(language);
  return by === 'screening' || holds(plainIn(text, base), ofWaiting[base]) ? null : 'human';
};

/** Whether the text is typical of a receptionist. */
export const offersHelp = (text: string, language: string): boolean => {
  const base = baseLanguage(language);
  return holds(plainIn(text, base), ofHelp[base]);
};

/** Whether the text is typical of an announcement or a voicemail. */
export const isSaidByMachine = (text: string, language: string): boolean =>
  saidByMachine(text, language) === 'machine';
