import { useEffect, useMemo } from 'preact/hooks';
import { getCall, getCallEvents, getCurrentGateway, getReplay, getTranscript } from '../api.ts';
import type { Call, ReplayStep } from '../api/records.ts';
import { CallAgain } from '../call/actions.tsx';
import { CallActs } from '../call/acts.tsx';
import { ChartPanel } from '../call/chart-panel.tsx';
import { CallFileLinks } from '../call/call-file-links.tsx';
import { CallFacts } from '../call/facts.tsx';
import { createPlayback, type Playback } from '../call/playback.ts';
import { LiveLine } from '../call/live-line.tsx';
import { Player } from '../call/player.tsx';
import { SipLadderCard } from '../call/sip-ladder.tsx';
import { SoundPanel } from '../call/sound-panel.tsx';
import { Timeline } from '../call/timeline.tsx';
import { Transcript } from '../call/transcript.tsx';
import { useWatched } from '../call/watched.ts';
import { isHangUpAtOnce, whyEnded } from '../call/why-ended.ts';
import { connection } from '../connection.ts';
import { texts } from '../language/language.ts';
import { CallState, counterpartyOf, DirectionMark, isOver } from '../parts/call-words.tsx';
import { LatencyCard } from '../parts/latency-card.tsx';
import { Loading, Missing, Page } from '../parts/page.tsx';
import { deviceTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkToCalls, linkTo } from '../shown-page.ts';
import { StepWords } from '../call/step-words.tsx';

/**
 * Links to the console's inspector and to Stately's, if the gateway has the inspector. Stately's page is authorized by
 * the console's session.
 */
const InspectorLink = ({ callId }: { callId: string }) => {
  const t = texts.value.calls.one;
  const gateway = usePolled('gateway', getCurrentGateway).value;
  if (gateway?.has_inspector !== true) return null;
  const behind = new URLSearchParams({ call: callId });
  return (
    <>
      <a href={linkTo('inspect', callId)}>{texts.value.inspector.open}</a>
      <a href={`/inspect#${behind}`} target="_blank" rel="noopener noreferrer">
        {t.inspector} <span class="unseen">({t.newTab})</span>
      </a>
    </>
  );
};

/** The charts of a finished call at the player's current step; initially the last step. */
const ReplayPanel = ({ playback }: { playback: Playback }) => {
  const step = playback.steps[playback.index.value];
  if (step === undefined) return null;
  return (
    <ChartPanel
      state={step}
      title={texts.value.calls.one.chart}
      isReadOut={!playback.isPlaying.value}
      firstView="map"
    >
      <StepWords playback={playback} step={step} />
    </ChartPanel>
  );
};

const liveMs = 1_000;

const noSteps: ReplayStep[] = [];

/** Polling interval after the end of a call, while the recording and the summary are being created. */
const settlingMs = 3_000;

const pollMsOf = (call: Call): number | null => {
  if (!isOver(call)) return liveMs;
  const isSettling =
    call.recording.status === 'pending' || (call.summary === null && call.answered_at !== null);
  return isSettling && justEnded(call) ? settlingMs : null;
};

/** Whether the call ended within the last minute. A summary that is missing later may never arrive. */
const justEnded = ({ ended_at: endedAt }: Call): boolean =>
  endedAt !== null && Date.now() - Date.parse(endedAt) < 60_000;

/** Playback of a finished call. */
const usePlayback = (call: Call | undefined): Playback | null => {
  const over = call !== undefined && isOver(call) ? call : undefined;
  const { value, problem } = usePolled(over === undefined ? '' : `replay/${over.id}`, async () =>
    over === undefined ? noSteps : getReplay(over.id),
  );
  // If the steps cannot be read, the recording can still be played.
  const steps = problem === undefined ? value : noSteps;
  const playback = useMemo(
    () => (over === undefined || steps === undefined ? null : createPlayback(over, steps)),
    [steps, over?.id],
  );
  useEffect(() => playback?.pause, [playback]);
  return playback;
};

export const CallPage = ({ id }: { id: string }) => {
  const t = texts.value.calls;
  const back = { to: linkToCalls(), label: texts.value.shell.nav.calls };
  const { value, problem, reload } = usePolled(
    id,
    // The call is read first. If it is over, the transcript that is read afterwards is complete.
    async () => {
      const call = await getCall(id);
      const [turns, events] = await Promise.all([getTranscript(id), getCallEvents(id)]);
      return { call, turns, events };
    },
    ({ call }) => pollMsOf(call),
  );
  const watched = useWatched(id, value !== undefined && !isOver(value.call), reload);
  const playback = usePlayback(value?.call);
  if (problem !== undefined) return <Missing back={back} />;
  if (value === undefined) return <Loading />;
  const { call, turns, events } = value;
  const isLive = !isOver(call);
  const lostAt = connection.value.is === 'lost' ? connection.value.asOf : null;
  const chartAsOf = lostAt ?? watched.brokeAt;
  return (
    <Page
      back={back}
      title={
        <>
          <DirectionMark direction={call.direction} />
          <span class="digits">{counterpartyOf(call)}</span>
        </>
      }
      lead={
        isLive ? (
          <LiveLine call={call} state={chartAsOf === null ? watched.state : null} lostAt={lostAt} />
        ) : (
          <>
            <CallState call={call} /> {whyEnded(call, events.some(isHangUpAtOnce), t)}
          </>
        )
      }
      beside={
        isLive ? (
          <InspectorLink callId={id} />
        ) : (
          <>
            <CallFileLinks call={call} />
            <CallAgain call={call} />
          </>
        )
      }
    >
      <div class={isLive ? 'call live' : 'call'}>
        {playback !== null && <Player call={call} playback={playback} />}
        {isLive && <CallActs call={call} onDone={reload} />}
        <div class="call-stage">
          <Transcript
            call={call}
            turns={turns}
            events={events}
            playback={playback}
            state={isLive && chartAsOf === null ? watched.state : null}
          />
          {playback !== null && <ReplayPanel playback={playback} />}
          {playback === null && watched.state !== null && (
            <ChartPanel
              state={watched.state}
              title={t.one.chart}
              asOf={chartAsOf === null ? null : deviceTime(chartAsOf, call.started_at)}
            />
          )}
        </div>
        <CallFacts call={call} />
        <div class="call-more">
          <Timeline call={call} events={events} playback={playback} />
          {call.latency !== undefined && <LatencyCard now={call.latency} before={null} />}
          <SoundPanel call={call} />
        </div>
        <SipLadderCard call={call} />
      </div>
    </Page>
  );
};
