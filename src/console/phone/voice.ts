/** The agent's voice by the browser's speech synthesis, if the browser supports the language. */
import { signal } from '@preact/signals';

const place = 'trunkline.phone_muted';

export const isMuted = signal(localStorage.getItem(place) === '1');
isMuted.subscribe((muted) => localStorage.setItem(place, muted ? '1' : '0'));

const synthesis = 'speechSynthesis' in globalThis ? globalThis.speechSynthesis : undefined;

const voiceCount = signal(synthesis?.getVoices().length ?? 0);
// Voices are counted again when they change, because some browsers load their voices asynchronously.
synthesis?.addEventListener('voiceschanged', () => (voiceCount.value = synthesis.getVoices().length));

const voiceFor = (language: string): SpeechSynthesisVoice | undefined => {
  const primary = language.split('-', 1)[0];
  return synthesis?.getVoices().find(({ lang }) => lang.split(/[-_]/, 1)[0] === primary);
};

export const hasVoiceFor = (language: string): boolean =>
  voiceCount.value > 0 && voiceFor(language) !== undefined;

/**
 * Speaks a text after the current utterance. `heard` receives the character index of each word when the word begins.
 */
export const speakAloud = (
  text: string,
  language: string,
  on: { heard: (characters: number) => void; over: () => void },
): void => {
  if (synthesis === undefined) return;
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = language;
  utterance.voice = voiceFor(language) ?? null;
  utterance.addEventListener('boundary', ({ charIndex }) => on.heard(charIndex));
  utterance.addEventListener('end', on.over);
  utterance.addEventListener('error', ({ error }) => {
    // Words that could not be spoken were displayed, so they count as over. Cancelled words were reported before.
    if (error !== 'canceled' && error !== 'interrupted') on.over();
  });
  synthesis.speak(utterance);
};

export const pauseVoice = (): void => synthesis?.pause();

export const resumeVoice = (): void => synthesis?.resume();

export const fallSilent = (): void => {
  synthesis?.cancel();
  // A pause survives cancellation and would block the next utterance, so speech is resumed here.
  synthesis?.resume();
};
