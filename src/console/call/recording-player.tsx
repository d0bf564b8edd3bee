import { useEffect, useRef, useState } from 'preact/hooks';
import { getRecording } from '../api.ts';
import { Problem, Unreachable } from '../api/request.ts';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { isOver } from '../parts/call-words.tsx';
import { Card } from '../parts/page.tsx';
import { clockTime } from '../parts/when.tsx';
import type { Playback } from './playback.ts';
import { pathOf, peaksOf } from './waveform.ts';

export const RecordingPlayer = ({ call, playback }: { call: Call; playback: Playback | null }) => {
  const t = texts.value.calls.one;
  const { status, truncated } = call.recording;
  if (status === 'completed')
    return <Player callId={call.id} hint={truncated ? t.truncated : undefined} playback={playback} />;
  const isRecordedNow = !isOver(call) && (call.options.recording ?? call.options_pending.recording) === true;
  const words = isRecordedNow ? t.recordingStatus.live : t.recordingStatus[status];
  return (
    <Card title={t.recording}>
      <p class="hint">{words}</p>
    </Card>
  );
};

type Loaded = { url: string; wave: string | null };

const load = async (callId: string): Promise<Loaded> => {
  const bytes = await getRecording(callId);
  const wave = await peaksOf(bytes).then(pathOf, () => null);
  return { url: URL.createObjectURL(new Blob([bytes])), wave };
};

type PlayerProps = { callId: string; hint: string | undefined; playback: Playback | null };

const Player = ({ callId, hint, playback }: PlayerProps) => {
  const t = texts.value.calls.one;
  const [loaded, setLoaded] = useState<Loaded | 'failed'>();
  useEffect(() => {
    let made: Loaded | undefined;
    const over = new AbortController();
    const loadNow = async (): Promise<void> => {
      try {
        made = await load(callId);
        if (over.signal.aborted) URL.revokeObjectURL(made.url);
        else setLoaded(made);
      } catch (error) {
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        setLoaded('failed');
      }
    };
    void loadNow();
    return () => {
      over.abort();
      if (made !== undefined) URL.revokeObjectURL(made.url);
    };
  }, [callId]);
  return (
    <Card title={t.recording}>
      {loaded === undefined && <p class="hint">{texts.value.shell.loading}</p>}
      {hint !== undefined && <p class="hint">{hint}</p>}
      {loaded === 'failed' && <p class="error">{t.recordingStatus.failed}</p>}
      {typeof loaded === 'object' && <Controls {...loaded} playback={playback} name={`${callId}.ogg`} />}
    </Card>
  );
};

const Controls = ({ url, wave, name, playback }: Loaded & { name: string; playback: Playback | null }) => {
  const t = texts.value.calls.one;
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(0);
  useEffect(() => (audio.current === null ? undefined : playback?.hear(audio.current)), [playback]);
  if (wave === null)
    return (
      <p class="hint">
        {t.unplayable}{' '}
        <a href={url} download={name}>
          {t.download}
        </a>
      </p>
    );
  const toggle = (): void => {
    if (isPlaying) audio.current?.pause();
    else void audio.current?.play();
  };
  const share = length === 0 ? 0 : at / length;
  return (
    <div class="player">
      <audio
        ref={audio}
        src={url}
        preload="metadata"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onDurationChange={(event) => {
          if (Number.isFinite(event.currentTarget.duration)) setLength(event.currentTarget.duration);
        }}
      />
      <button type="button" class="play" aria-label={isPlaying ? t.pause : t.play} onClick={toggle}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={isPlaying ? 'M8 5h3v14H8zM14 5h3v14h-3z' : 'M8 5l11 7-11 7z'} />
        </svg>
      </button>
      <div class="wave">
        <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
          <clipPath id="played">
            <rect width={share * 1000} height="100" />
          </clipPath>
          <path d={wave} />
          <path class="played" d={wave} clip-path="url(#played)" />
        </svg>
        <input
          type="range"
          min="0"
          max={length}
          step="0.1"
          value={at}
          aria-label={t.position}
          aria-valuetext={`${clockTime(at)} / ${clockTime(length)}`}
          onInput={(event) => {
            if (audio.current !== null) audio.current.currentTime = Number(event.currentTarget.value);
          }}
        />
      </div>
      <span class="digits">
        {clockTime(at)} / {clockTime(length)}
      </span>
      <a class="button" href={url} download={name}>
        {t.download}
      </a>
    </div>
  );
};
