/**
 * A test double of ONNX Runtime: a "model" is a JSON file that defines its input and its behaviour. `loud` answers by
 * the average of its input, `hangs` never does, `dies` ends its thread at the second request.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const modelFile = z.object({
  input: z.string().default('input_features'),
  behaviour: z.enum(['loud', 'hangs', 'dies', 'wide', 'unsure']).default('loud'),
});

export class Tensor {
  readonly data: Float32Array;
  constructor(_type: string, data: Float32Array) {
    this.data = data;
  }
}

const never = new Promise<never>(() => {});

export const InferenceSession = {
  async create(path: string) {
    const { input, behaviour } = modelFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    let asked = 0;
    return {
      inputNames: [input],
      outputNames: ['probability'],
      async run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>> {
        asked += 1;
        const data = feeds[input]?.data ?? new Float32Array();
        if (asked > 1 && behaviour === 'hangs') return never;
        if (asked > 1 && behaviour === 'dies') process.exit(3);
        const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
        const probability = behaviour === 'unsure' ? NaN : 1 / (1 + Math.exp(-mean));
        return {
          probability: new Tensor(
            'float32',
            Float32Array.of(probability, ...(behaviour === 'wide' ? [0] : [])),
          ),
        };
      },
    };
  },
};
