/** Icons in the line style of the console's other icons. */
const paths = {
  handset:
    'M6.5 4h3l1.5 4-2 1.5a10 10 0 0 0 5.5 5.5l1.5-2 4 1.5v3a2 2 0 0 1-2 2A15.5 15.5 0 0 1 4.5 6a2 2 0 0 1 2-2Z',
  down: 'M4 14.5c4.5-4.5 11.5-4.5 16 0l-2 2.5-4-1.5v-2.3a9 9 0 0 0-4 0v2.3L6 17Z',
  voice: 'M5 10v4h3l4 3.5v-11L8 10Zm10-1a4 4 0 0 1 0 6m2.5-8.5a8 8 0 0 1 0 11',
  muted: 'M5 10v4h3l4 3.5v-11L8 10Zm11 0 4 4m0-4-4 4',
  microphone:
    'M12 4a2.5 2.5 0 0 0-2.5 2.5v5a2.5 2.5 0 0 0 5 0v-5A2.5 2.5 0 0 0 12 4Zm-5.5 7.5a5.5 5.5 0 0 0 11 0M12 17v3',
  keypad: 'M6 6h.01M12 6h.01M18 6h.01M6 12h.01M12 12h.01M18 12h.01M6 18h.01M12 18h.01M18 18h.01',
  fold: 'M6 9.5l6 6 6-6',
  close: 'M6 6l12 12M18 6 6 18',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class={`icon ${name}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
