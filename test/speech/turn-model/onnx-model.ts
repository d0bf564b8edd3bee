/**
 * A tiny model in ONNX's format (onnx.proto), written by hand: it applies a sigmoid to the average loudness of its
 * input. The model has the interface of Smart Turn, or one with a small defect.
 */
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

/** A field that is a number, a text or a message. */
const field = (number: number, value: number | string | readonly number[]): number[] => {
  if (typeof value === 'number') return [...varint(number * 8), ...varint(value)];
  const bytes = typeof value === 'string' ? [...Buffer.from(value)] : value;
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
};

const float32 = 1;

const valueInfo = (name: string, shape: readonly number[]): number[] => {
  const dimensions = shape.flatMap((size) => field(1, field(1, size)));
  return [...field(1, name), ...field(2, field(1, [...field(1, float32), ...field(2, dimensions)]))];
};

const node = (operation: string, from: string, to: string): number[] => [
  ...field(1, from),
  ...field(2, to),
  ...field(4, operation),
];

export const onnxModel = ({
  input = 'input_features',
  shape = [1, 80, 800],
  /** Without it the output is an average instead of a probability. */
  hasSigmoid = true,
  /** Without it there are as many output values as input values. */
  hasMean = true,
} = {}): Buffer => {
  const mean = hasMean
    ? [...field(1, node('ReduceMean', input, 'mean'))]
    : field(1, node('Neg', input, 'mean'));
  const last = node(hasSigmoid ? 'Sigmoid' : 'Exp', 'mean', 'probability');
  const graph = [
    ...mean,
    ...field(1, last),
    ...field(2, 'graph'),
    ...field(11, valueInfo(input, shape)),
    ...field(12, valueInfo('probability', hasMean ? [1, 1, 1] : shape)),
  ];
  return Buffer.from([...field(1, 8), ...field(7, graph), ...field(8, [...field(1, ''), ...field(2, 13)])]);
};
