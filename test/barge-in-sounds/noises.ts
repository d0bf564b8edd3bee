/** Random noises of a telephone call: the number of each kind, and its generator. */
import {
  around,
  chanceOf,
  inTurn,
  levelled,
  loud,
  mixed,
  noise,
  pulses,
  rest,
  shaped,
  tones,
  type Chance,
  type Sound,
} from './sound-making.ts';

type Make = (chance: Chance) => Sound;

const times = (count: number, make: (index: number) => Sound): Sound =>
  inTurn(Array.from({ length: count }, (_, index) => make(index)));

const some = (chance: Chance, from: number, to: number): number => Math.round(chance.between(from, to));

/** A cough: a burst, rushing air, and sometimes a voiced end. */
const oneCough: Make = (chance) => {
  const burst = shaped(noise(chance, 30), 2, 12);
  const air = shaped(noise(chance, chance.between(90, 180)), 10, 60);
  const voice = shaped(pulses(chance, chance.between(50, 130), chance.between(150, 320), 0.8), 10, 60);
  const mouth = chance.between(700, 1_300);
  const breath = mixed([levelled(around(air, mouth, 500)), loud(levelled(around(air, 2_300, 900)), 0.6)]);
  const sounding = loud(levelled(around(voice, mouth, 200)), chance.between(0, 0.8));
  return inTurn([levelled(burst), mixed([breath, inTurn([rest(60), sounding])])]);
};

const cough: Make = (chance) => {
  const first = oneCough(chance);
  const others = times(some(chance, 0, 2), () => inTurn([rest(chance.between(60, 250)), oneCough(chance)]));
  return inTurn([first, others]);
};

const throatClearing: Make = (chance) => {
  const pitch = chance.between(80, 140);
  return times(some(chance, 1, 2), () => {
    const milliseconds = chance.between(180, 320);
    const rough = pulses(chance, milliseconds, pitch, chance.between(0.7, 1));
    const air = noise(chance, milliseconds);
    const sound = mixed([
      levelled(around(rough, 500, 300)),
      loud(levelled(around(air, 900, 800)), chance.between(0.5, 1)),
    ]);
    return inTurn([shaped(sound, 30, 200), rest(90)]);
  });
};

const sneeze: Make = (chance) => {
  const breath = loud(levelled(shaped(around(noise(chance, 250), 1_500, 1_200), 200)), 0.25);
  const burst = levelled(shaped(around(noise(chance, chance.between(200, 350)), 2_500, 1_500), 4, 70));
  return inTurn([breath, rest(60), burst]);
};

const breath: Make = (chance) =>
  shaped(around(noise(chance, chance.between(350, 900)), chance.between(500, 1_600), 900), 150, 300);

const sniff: Make = (chance) =>
  shaped(around(noise(chance, chance.between(120, 250)), 2_600, 1_200), chance.between(50, 120), 80);

/** "Ha ha": a voice, but no words. */
const laugh: Make = (chance) => {
  const pitch = chance.between(150, 330);
  return times(some(chance, 2, 5), (index) => {
    const voice = pulses(chance, chance.between(70, 110), pitch * 0.95 ** index, 0.9);
    const mouth = mixed([levelled(around(voice, 800, 120)), loud(levelled(around(voice, 1_300, 160)), 0.6)]);
    const air = loud(levelled(shaped(around(noise(chance, 70), 1_400, 900), 20, 30)), 0.3);
    return inTurn([air, shaped(mouth, 15, 60)]);
  });
};

const click: Make = (chance) =>
  times(some(chance, 1, 3), () =>
    inTurn([
      shaped(around(noise(chance, chance.between(8, 40)), chance.between(900, 3_000), 700), 1, 8),
      rest(chance.between(80, 300)),
    ]),
  );

const typing: Make = (chance) =>
  times(some(chance, 5, 14), () => {
    const key = shaped(around(noise(chance, 25), chance.between(1_500, 3_200), 900), 1, 6);
    return inTurn([loud(levelled(key), chance.between(0.4, 1)), rest(chance.between(60, 220))]);
  });

const knock: Make = (chance) => {
  const body = chance.between(120, 320);
  return times(some(chance, 1, 4), () =>
    inTurn([
      mixed([
        levelled(shaped(around(noise(chance, 160), body, 60), 2, 30)),
        loud(levelled(shaped(noise(chance, 20), 1, 5)), 0.4),
      ]),
      rest(chance.between(90, 250)),
    ]),
  );
};

const paper: Make = (chance) =>
  times(some(chance, 6, 16), () =>
    loud(
      levelled(
        shaped(around(noise(chance, chance.between(20, 90)), chance.between(1_800, 3_300), 1_600), 5, 25),
      ),
      chance.between(0.2, 1),
    ),
  );

const wind: Make = (chance) => {
  const milliseconds = chance.between(800, 2_500);
  const gusts = around(noise(chance, milliseconds), 180, 160);
  const period = chance.between(2_000, 6_000);
  const blown = levelled(gusts).map((sample, index) => sample * (0.5 + 0.5 * Math.sin(index / period) ** 2));
  return shaped(blown, 250);
};

const traffic: Make = (chance) => {
  const milliseconds = chance.between(1_500, 3_000);
  const road = mixed([
    around(noise(chance, milliseconds), 350, 400),
    around(noise(chance, milliseconds), 900, 700),
  ]);
  const middle = road.length / 2;
  return levelled(road).map((sample, index) => sample * Math.exp(-(((index - middle) / (middle / 2)) ** 2)));
};

const bark: Make = (chance) =>
  times(some(chance, 1, 3), () => {
    const voice = pulses(chance, chance.between(90, 160), chance.between(350, 600), 0.6);
    return inTurn([
      shaped(mixed([levelled(around(voice, 900, 300)), loud(noise(chance, 90), 0.3)]), 8, 50),
      rest(chance.between(150, 400)),
    ]);
  });

const ringtone: Make = (chance) => {
  const pitch = chance.between(700, 1_300);
  return times(some(chance, 2, 5), () => inTurn([tones(120, [pitch]), tones(120, [pitch * 1.25])]));
};

const horn: Make = (chance) => {
  const pitch = chance.between(350, 480);
  return shaped(tones(chance.between(250, 900), [pitch, pitch * 1.26, pitch * 2, pitch * 2.52]), 15);
};

const siren: Make = (chance) => {
  const pitch = chance.between(600, 800);
  return times(2, () => inTurn([tones(450, [pitch], 1.6), tones(450, [pitch * 1.6], 1 / 1.6)]));
};

const music: Make = (chance) => {
  const root = chance.between(200, 320);
  return times(some(chance, 4, 8), () => {
    const pitch = root * 2 ** (some(chance, 0, 12) / 12);
    return shaped(tones(chance.between(150, 350), [pitch, pitch * 2, pitch * 3]), 8, 160);
  });
};

const dishes: Make = (chance) =>
  times(some(chance, 1, 4), () => {
    const pitch = chance.between(1_400, 3_000);
    return inTurn([
      shaped(tones(180, [pitch, pitch * 1.19, pitch * 0.71]), 1, 35),
      rest(chance.between(30, 200)),
    ]);
  });

const hum: Make = (chance) => shaped(tones(chance.between(800, 3_000), [chance.between(120, 500)]), 20);

const machine: Make = (chance) => {
  const milliseconds = chance.between(1_000, 3_000);
  const motor = pulses(chance, milliseconds, chance.between(90, 160));
  return shaped(
    mixed([
      levelled(around(motor, 400, 300)),
      loud(levelled(noise(chance, milliseconds)), chance.between(0.3, 0.8)),
    ]),
    60,
  );
};

/** One hundred and twenty noises in total. */
const kinds: readonly (readonly [name: string, count: number, make: Make])[] = [
  ['cough', 24, cough],
  ['throat clearing', 8, throatClearing],
  ['sneeze', 6, sneeze],
  ['breath', 8, breath],
  ['sniff', 4, sniff],
  ['laugh', 6, laugh],
  ['click', 6, click],
  ['typing', 8, typing],
  ['knock', 8, knock],
  ['paper', 6, paper],
  ['wind', 4, wind],
  ['traffic', 4, traffic],
  ['bark', 4, bark],
  ['ringtone', 4, ringtone],
  ['horn', 4, horn],
  ['siren', 2, siren],
  ['music', 4, music],
  ['dishes', 4, dishes],
  ['hum', 2, hum],
  ['machine', 4, machine],
];

/** Reproducible. */
export const makeNoises = (): { kind: string; sound: Sound }[] =>
  kinds.flatMap(([kind, count, make], which) =>
    Array.from({ length: count }, (_, index) => ({
      kind,
      sound: levelled(make(chanceOf(1 + which * 1_000 + index))),
    })),
  );
