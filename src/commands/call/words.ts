/** Texts of `npm run call` in the user's language. Events of a call have the same texts as in the console. */
import { calls as englishCalls } from '#src/console/language/en/calls.ts';
import { calls as koreanCalls } from '#src/console/language/ko/calls.ts';

const english = {
  calls: englishCalls,
  calling: (to: string, from: string) => `Calling ${to} from ${from}.`,
  watch: (url: string) => `Watch it: ${url}`,
  howToEnd: 'Ctrl-C asks the agent to say goodbye, twice hangs up at once.',
  askedToHangUp: 'The agent is asked to end the call; Ctrl-C again hangs up at once.',
  askedAtOnce: 'Hanging up at once; Ctrl-C again leaves, whatever becomes of the call.',
  left: 'Left. Whether the call has ended is unknown.',
  interrupted: (why: string, seconds: string) => `${why}. Trying again in ${seconds} s; Ctrl-C leaves.`,
  lost: 'The connection to the gateway is lost, so whether the call has ended is unknown.',
  notHungUp: (why: string) => `The call could not be hung up: ${why}`,
  heardOnly: (words: string) => `(heard only: ${words})`,
  notHeard: '(not heard)',
  lasted: (seconds: string) => `It lasted ${seconds} s.`,
  replies: (median: string, longest: string) =>
    `The agent was heard ${median} s after the other party had spoken (median; ${longest} s at most).`,
  recording: (url: string) => `Transcript, recording and replay: ${url}`,
  recordingLater: (url: string) => `Transcript, recording and replay, once \`npm start\` runs: ${url}`,
  starting: (url: string) => `No gateway runs at ${url}: one is started for this call.`,
  started: (seconds: string) => `It is ready after ${seconds} s.`,
  noVoices: 'Recordings get tones instead of voices: install espeak-ng for voices.',
  playing: (player: string) => `Playing the recording (${player}).`,
  noPlayer: (players: string) => `The recording cannot be played: none of ${players} is installed.`,
  noRecording: 'There is no recording to play.',
};

export type Words = typeof english;

const korean: Words = {
  calls: koreanCalls,
  calling: (to, from) => `${from}에서 ${to}(으)로 전화를 겁니다.`,
  watch: (url) => `화면으로 보기: ${url}`,
  howToEnd: 'Ctrl-C를 누르면 에이전트가 인사하고 끊습니다. 두 번 누르면 바로 끊습니다.',
  askedToHangUp: '에이전트에게 통화를 끝내 달라고 했습니다. Ctrl-C를 다시 누르면 바로 끊습니다.',
  askedAtOnce: '바로 끊습니다. Ctrl-C를 다시 누르면 통화와 관계없이 나갑니다.',
  left: '나왔습니다. 통화가 끝났는지는 확인하지 못했습니다.',
  interrupted: (why, seconds) => `${why}. ${seconds}초 뒤에 다시 연결합니다. 나가려면 Ctrl-C를 누르세요.`,
  lost: '게이트웨이와 연결이 끊어져 통화가 끝났는지 확인하지 못했습니다.',
  notHungUp: (why) => `통화를 끊지 못했습니다: ${why}`,
  heardOnly: (words) => `(들린 말: ${words})`,
  notHeard: '(들리지 않음)',
  lasted: (seconds) => `${seconds}초 동안 통화했습니다.`,
  replies: (median, longest) =>
    `상대방의 말이 끝나고 ${median}초 뒤에 에이전트가 말했습니다(중앙값, 최대 ${longest}초).`,
  recording: (url) => `대화 내용, 녹음, 다시 보기: ${url}`,
  recordingLater: (url) => `대화 내용, 녹음, 다시 보기(\`npm start\`를 실행한 뒤): ${url}`,
  starting: (url) => `${url}에서 실행 중인 게이트웨이가 없어 이 통화를 위해 하나를 시작합니다.`,
  started: (seconds) => `${seconds}초 만에 준비되었습니다.`,
  noVoices: '녹음에 목소리 대신 신호음이 들어갑니다. 목소리를 들으려면 espeak-ng를 설치하세요.',
  playing: (player) => `녹음을 재생합니다(${player}).`,
  noPlayer: (players) => `녹음을 재생할 수 없습니다. ${players} 가운데 설치된 것이 없습니다.`,
  noRecording: '재생할 녹음이 없습니다.',
};

/** Chooses the language by POSIX rules: the first of these variables that is set determines the language. */
export const wordsFor = ({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Words =>
  (LC_ALL || LC_MESSAGES || LANG || '').startsWith('ko') ? korean : english;
