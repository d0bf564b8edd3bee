/** The agent's voice, by the browser's own synthesizer where it has one for the language. */
import { signal } from '@preact/signals';

const place = 'trunkline.phone_muted';

export const isMuted = signal(localStorage.getItem(place) === '1');
isMuted.subscribe((muted) => localStorage.setItem(place, muted ? '1' : '0'));

const synthesis = 'speechSynthesis' in globalThis ? globalThis.speechSynthesis : undefined;

const voiceCount = signal(synthesis?.getVoices().length ?? 0);
// Some browsers find their voices after a moment.
synthesis?.addEventListener('voiceschanged', () => (voiceCount.value = synthesis.getVoices().length));

const voiceFor = (language: string): SpeechSynthesisVoice | undefined => {
  const primary = language.split('-', 1)[0];
  return synthesis?.getVoices().find(({ lang }) => lang.split(/[-_]/, 1)[0] === primary);
};

export const hasVoiceFor = (language: string): boolean =>
  voiceCount.value > 0 && voiceFor(language) !== undefined;

/** Behind what is still being said. `heard` counts characters, at the beginning of each word. */
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
    // Words that could not be said were shown, so they are over; stopped ones were reported before.
    if (error !== 'canceled' && error !== 'interrupted') on.over();
  });
  synthesis.speak(utterance);
};

export const pauseVoice = (): void => synthesis?.pause();

export const resumeVoice = (): void => synthesis?.resume();

export const fallSilent = (): void => {
  synthesis?.cancel();
  // A pause outlives what was cancelled, and would hold up what is said next.
  synthesis?.resume();
};
