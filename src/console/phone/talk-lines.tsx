import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../language/language.ts';
import type { PhoneTalk, TalkLine } from './phone-state.ts';
import { hasVoiceFor, isMuted } from './voice.ts';

/** Live transcript of the call. Screen readers announce it unless the agent's own voice is audible. */
export const TalkLines = ({ talk }: { talk: PhoneTalk }) => {
  const t = texts.value.phone;
  const { lines, saying, details, sounding, isPaused } = talk;
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [lines, saying]);
  const isAloud = !isMuted.value && (talk.hasSound || hasVoiceFor(details.language));
  return (
    <div
      class="talk-lines"
      role="log"
      aria-label={t.talk}
      aria-live={isAloud ? 'off' : 'polite'}
      tabIndex={0}
    >
      {lines.length === 0 && saying === '' && talk.end === null && <p class="hint">{t.waiting}</p>}
      <ol class="turns">
        {lines.map((line, index) => (
          <Line key={index} line={line} language={details.language} sounding={isPaused ? null : sounding} />
        ))}
        {saying !== '' && (
          <li class="user" aria-live="off">
            <span class="speaker">{t.me}</span>
            <p lang={details.language}>
              <span class="preliminary">{saying} …</span>
            </p>
          </li>
        )}
        <li ref={end} class="talk-end" aria-hidden="true" />
      </ol>
    </div>
  );
};

const Line = ({
  line,
  language,
  sounding,
}: {
  line: TalkLine;
  language: string;
  sounding: number | null;
}) => {
  const t = texts.value.phone;
  switch (line.who) {
    case 'me':
      return (
        <li class="user">
          <span class="speaker">{t.me}</span>
          <p lang={language}>{line.text}</p>
        </li>
      );
    case 'agent':
      return (
        <li class={`assistant ${line.isCut ? 'cut' : ''}`}>
          <span class="speaker">
            {t.agent}
            {line.isCut && ` · ${t.interrupted}`}
          </span>
          <p lang={language}>
            {line.parts.map(({ utterance, text }) => (
              <span key={utterance} class={utterance === sounding ? 'sounding' : ''}>
                {text}{' '}
              </span>
            ))}
            {line.isCut && '…'}
          </p>
        </li>
      );
    default:
      return (
        <li class="keys">
          {line.who === 'agent-keys' ? t.keysOfAgent : t.keysOfMine} <kbd>{line.keys}</kbd>
        </li>
      );
  }
};
