import type { ComponentChildren } from 'preact';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { count, milliseconds, percent, score, seconds } from '../parts/figures.ts';
import { Card } from '../parts/page.tsx';

type Stream = Call['sound']['received'];

/** Formats the quality of one direction as a line; undefined if it is unknown. */
const lineOf = ({ mos, loss, jitter_ms: jitter, packets }: Stream): string | undefined => {
  const t = texts.value.calls.one.sound;
  const known = [
    mos === null ? undefined : t.mos(score(mos)),
    loss === null ? undefined : t.loss(percent(loss)),
    jitter === null ? undefined : t.jitter(milliseconds(jitter)),
    packets === null ? undefined : t.packets(count(packets)),
  ].filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join(' · ');
};

const way = (local: string | null, remote: string | null): string | undefined =>
  local === null && remote === null ? undefined : `${local ?? '?'} ↔ ${remote ?? '?'}`;

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) =>
  children === undefined ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );

/** Trunk and audio quality of a call; renders null without RTP. */
export const SoundPanel = ({ call }: { call: Call }) => {
  const t = texts.value.calls.one.sound;
  const { trunk, sound, addresses, failed_trunks: failed, post_dial_delay_ms: delay } = call;
  if (trunk === null && sound.codec === null && sound.one_way === null) return null;
  return (
    <Card title={t.title}>
      {sound.one_way !== null && (
        <p>
          <b>{t.oneWay[sound.one_way]}</b>
        </p>
      )}
      <dl class="facts">
        <Fact name={t.trunk}>
          {trunk?.name} {failed.length > 0 && <small>{t.failedTrunks(failed.length)}</small>}
        </Fact>
        <Fact name={t.postDialDelay}>{delay === null ? undefined : seconds(delay / 1_000)}</Fact>
        <Fact name={t.received}>{lineOf(sound.received)}</Fact>
        <Fact name={t.sent}>{lineOf(sound.sent)}</Fact>
        <Fact name={t.roundTrip}>
          {sound.round_trip_ms === null ? undefined : milliseconds(sound.round_trip_ms)}
        </Fact>
        <Fact name={t.codec}>{sound.codec ?? undefined}</Fact>
        <Fact name={t.dtmf}>
          {sound.dtmf === null ? undefined : t.dtmfWays(sound.dtmf.sent, sound.dtmf.received)}
        </Fact>
        <Fact name={t.signalling}>{way(addresses.local_signalling, addresses.remote_signalling)}</Fact>
        <Fact name={t.media}>{way(addresses.local_media, addresses.remote_media)}</Fact>
      </dl>
    </Card>
  );
};
