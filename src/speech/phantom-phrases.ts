/**
 * Phrases that Whisper models write for silence, music and applause, because subtitles were part of their training
 * data. Real speakers use some of these phrases, so a phrase alone does not decide (`spoken-words.ts`).
 */

/** Closing phrases of videos, and names of sounds, which are rare on the telephone. */
const ofSubtitles: readonly string[] = [
  // English
  'thanks for watching',
  'thank you for watching',
  'thank you so much for watching',
  'thank you very much for watching',
  'thanks for watching everyone',
  'thanks for listening',
  'please subscribe',
  'please subscribe to my channel',
  'subscribe to my channel',
  'like and subscribe',
  'please like and subscribe',
  'dont forget to like and subscribe',
  'see you in the next video',
  'ill see you in the next video',
  'see you next time',
  'ill see you next time',
  'the end',
  'to be continued',
  'music',
  'applause',
  'laughter',
  'silence',
  'blank audio',
  // Korean
  '시청해주셔서 감사합니다',
  '시청해주셔서 고맙습니다',
  '끝까지 시청해주셔서 감사합니다',
  '오늘도 시청해주셔서 감사합니다',
  '영상 시청해주셔서 감사합니다',
  '지금까지 시청해주셔서 감사합니다',
  '봐주셔서 감사합니다',
  '구독과 좋아요',
  '구독과 좋아요 부탁드립니다',
  '구독과 좋아요 부탁드려요',
  '구독 좋아요 부탁드립니다',
  '구독과 좋아요 알림 설정 부탁드립니다',
  '구독 부탁드립니다',
  '다음 영상에서 만나요',
  '다음 영상에서 뵙겠습니다',
  '다음 영상에서 봐요',
  '다음 시간에 만나요',
  '오늘 영상은 여기까지입니다',
  '음악',
  '박수',
  '웃음',
  // Japanese
  'ご視聴ありがとうございました',
  'ご視聴ありがとうございます',
  'ご視聴いただきありがとうございました',
  'ご視聴頂きありがとうございました',
  '最後までご視聴ありがとうございました',
  '最後までご視聴いただきありがとうございました',
  'ご清聴ありがとうございました',
  'チャンネル登録お願いします',
  'チャンネル登録をお願いします',
  'チャンネル登録よろしくお願いします',
  'チャンネル登録と高評価をお願いします',
  'チャンネル登録高評価お願いします',
  '高評価とチャンネル登録お願いします',
  'また次の動画でお会いしましょう',
  '次の動画でお会いしましょう',
  '次回もお楽しみに',
  '見てくれてありがとう',
  '音楽',
  '拍手',
  '字幕',
  // Chinese, which appears for silence in any language
  '谢谢观看',
  '感谢观看',
  '請不吝點贊訂閱轉發打賞支持明鏡與點點欄目',
  '请不吝点赞订阅转发打赏支持明镜与点点栏目',
];

/** Credits of subtitles and broadcasts, with any name. */
const credits: readonly string[] = [
  'amara.org',
  'subtitles by',
  'subtitled by',
  'captions by',
  'transcribed by',
  'translated by',
  'transcription by',
  'transcript by',
  '자막 제공',
  '자막 제작',
  '한글자막',
  '자막 by',
  '번역 by',
  'MBC 뉴스',
  'KBS 뉴스',
  'SBS 뉴스',
  'YTN 뉴스',
  '유료 광고를 포함하고 있습니다',
  '字幕作成者',
  '字幕制作',
  '字幕by',
  '字幕志愿者',
  '字幕志願者',
];

/** Everyday phrases that the models also write for a cough. */
const everyday: readonly string[] = [
  'thank you',
  'thank you very much',
  'thank you so much',
  'thanks',
  'you',
  'bye',
  'bye bye',
  'goodbye',
  'so',
  'okay',
  'oh',
  'hmm',
  '감사합니다',
  '고맙습니다',
  '감사합니다 감사합니다',
  'ありがとうございました',
  'ありがとうございます',
  'おやすみなさい',
  'お疲れ様でした',
];

/** Normalizes punctuation, spaces and capital letters, which differ between recognizers. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

const subtitlePhrases = new Set(ofSubtitles.map(plain));
const plainCredits = credits.map(plain);
const everydayPhrases = new Set(everyday.map(plain));

/** Maximum length of a text that may be a phantom: a sentence or two. Longer text is not a phantom of a short sound. */
const longestRead = 400;

/**
 * Classifies a text: `subtitles` for phrases that are rare on the telephone, `everyday` for common phrases, `null` for
 * other text.
 */
export const phantomPhraseIn = (text: string): 'subtitles' | 'everyday' | null => {
  if (text.length > longestRead) return null;
  const parts = text
    .split(/[.!?。！？…\n]+/u)
    .map(plain)
    .filter((part) => part !== '');
  const whole = plain(text);
  const isOfSubtitles = (part: string): boolean => subtitlePhrases.has(part);
  if (isOfSubtitles(whole) || plainCredits.some((credit) => whole.includes(credit))) return 'subtitles';
  const areKnown = parts.every((part) => isOfSubtitles(part) || everydayPhrases.has(part));
  if (parts.length === 0 || !areKnown) return null;
  return parts.some(isOfSubtitles) ? 'subtitles' : 'everyday';
};
