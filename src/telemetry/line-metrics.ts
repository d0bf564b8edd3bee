/** Metrics of the telephone lines: availability, trunks, refused callers. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ServerLoad } from '#sip/freeswitch/connection.ts';
import type { MediaServerState } from '#sip/freeswitch/media-servers.ts';
import type { Lines } from '#sip/lines.ts';
import { trunkStates } from '#src/domain/trunk.ts';
import type { TrunkDirectory } from '#src/trunks/trunk-directory.ts';

export const watchLines = (
  registry: Registry,
  observed: {
    lines: Pick<Lines, 'health'>;
    trunks: Pick<TrunkDirectory, 'all' | 'status'>;
    /** Number of refused callers since the start, by reason. */
    refusedCallers: () => Readonly<Record<string, number>>;
    mediaServers: () => readonly MediaServerState[];
    /** Number of SIP messages lost for the collector since the start. */
    lostSipMessages: () => number;
    lostSeconds: () => number;
  },
): void => {
  const { lines, trunks, refusedCallers, mediaServers, lostSipMessages, lostSeconds } = observed;
  const registers = [registry];
  void new Gauge({
    name: 'trunkline_lines_ready',
    help: 'Whether calls can be placed and answered: 1 when the servers for signalling and media are there, else 0',
    registers,
    collect() {
      this.set(lines.health().ready ? 1 : 0);
    },
  });
  void new Gauge({
    name: 'trunkline_media_server_ready',
    help: 'Whether a media server takes calls: 1 when it does, else 0',
    labelNames: ['media_server'],
    registers,
    collect() {
      for (const { name, isUsable } of mediaServers()) this.set({ media_server: name }, isUsable ? 1 : 0);
    },
  });
  void new Gauge({
    name: 'trunkline_media_server_calls',
    help: 'Calls whose sound a media server carries for this gateway',
    labelNames: ['media_server'],
    registers,
    collect() {
      for (const { name, calls } of mediaServers()) this.set({ media_server: name }, calls);
    },
  });
  for (const [name, help, valueIn] of [
    [
      'trunkline_media_server_sessions',
      'Sessions of a media server, those of other clients included, by its latest heartbeat',
      ({ sessions }: ServerLoad) => sessions,
    ],
    [
      'trunkline_media_server_max_sessions',
      'Sessions that a media server allows at once',
      ({ maxSessions }: ServerLoad) => maxSessions,
    ],
    [
      'trunkline_media_server_idle_cpu_ratio',
      'Share of the CPU of a media server that is idle, from 0 to 1, by its latest heartbeat',
      ({ idleCpu }: ServerLoad) => idleCpu / 100,
    ],
  ] as const)
    void new Gauge({
      name,
      help,
      labelNames: ['media_server'],
      registers,
      collect() {
        this.reset();
        for (const { name: server, load } of mediaServers())
          if (load !== null) this.set({ media_server: server }, valueIn(load));
      },
    });
  void new Gauge({
    name: 'trunkline_trunks',
    help: 'Enabled trunks, by what they are doing on this gateway',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of trunkStates) if (state !== 'disabled') this.set({ state }, 0);
      for (const { id } of trunks.all()) this.inc({ state: trunks.status({ id, enabled: true }).state });
    },
  });
  void new Counter({
    name: 'trunkline_sip_messages_lost_total',
    help: 'SIP messages of calls that could not be kept, because too many waited or the database did not take them',
    registers,
    collect() {
      this.reset();
      this.inc(lostSipMessages());
    },
  });
  void new Counter({
    name: 'trunkline_unheard_sound_seconds_total',
    help: 'Sound of other parties that was given up because no recognizer answered, in seconds',
    registers,
    collect() {
      this.reset();
      this.inc(lostSeconds());
    },
  });
  void new Counter({
    name: 'trunkline_refused_callers_total',
    help: 'Callers that no trunk knows and that were refused, by what was wrong',
    labelNames: ['fault'],
    registers,
    collect() {
      this.reset();
      for (const [fault, count] of Object.entries(refusedCallers())) this.inc({ fault }, count);
    },
  });
};
