const rate = 16_000;

export const tone = (seconds: number, hertz: number): Int16Array =>
  Int16Array.from({ length: seconds * rate }, (_, index) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );
