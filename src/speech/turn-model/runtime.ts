/**
 * ONNX Runtime (`onnxruntime-node`), which an operator installs, with a model that has Smart Turn's interface
 * (github.com/pipecat-ai/smart-turn, inference.py): the input is features of eight seconds, the output the probability
 * of a turn end.
 */
import { bands } from './log-mel.ts';
import { longestMs } from './model-audio.ts';

const inputName = 'input_features';
const shape = [1, bands, longestMs / 10];

type Session = {
  inputNames: readonly string[];
  outputNames: readonly string[];
  run(feeds: Record<string, unknown>): Promise<Record<string, unknown>>;
};

type Runtime = {
  Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => unknown;
  InferenceSession: { create(path: string, options: object): Promise<Session> };
};

const isRuntime = (module: unknown): module is Runtime =>
  typeof module === 'object' &&
  module !== null &&
  'Tensor' in module &&
  typeof module.Tensor === 'function' &&
  'InferenceSession' in module &&
  module.InferenceSession instanceof Object &&
  'create' in module.InferenceSession &&
  typeof module.InferenceSession.create === 'function';

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An error of the runtime or the model, as a sentence for the operator. */
export class UnfitModel extends Error {
  override readonly name = 'UnfitModel';
}

const loadRuntime = async (name: string): Promise<Runtime> => {
  let module: unknown;
  try {
    module = await import(name);
  } catch (error) {
    throw new UnfitModel(
      `the package ${name} could not be loaded; "npm install --no-save --ignore-scripts ${name}" installs it (${reasonOf(error)})`,
      { cause: error },
    );
  }
  const found = [
    module,
    typeof module === 'object' && module !== null && 'default' in module ? module.default : null,
  ].find(isRuntime);
  if (found === undefined) throw new UnfitModel(`${name} is not what it is taken for`);
  return found;
};

const probabilityIn = (output: unknown): number | null => {
  if (typeof output !== 'object' || output === null || !('data' in output)) return null;
  const { data } = output;
  if (!(data instanceof Float32Array) || data.length !== 1) return null;
  const [probability = NaN] = data;
  return probability >= 0 && probability <= 1 ? probability : null;
};

/** Returns the probability of a turn end for features of `logMel`. */
export type AskModel = (features: Float32Array) => Promise<number>;

/** Loads the model. Rejects with an UnfitModel. The model is run once to detect another interface. */
export const loadModel = async (runtime: string, path: string): Promise<AskModel> => {
  const { InferenceSession, Tensor } = await loadRuntime(runtime);
  let session: Session;
  try {
    session = await InferenceSession.create(path, {
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
    });
  } catch (error) {
    throw new UnfitModel(`${path} cannot be read as a model: ${reasonOf(error)}`, { cause: error });
  }
  const [output] = session.outputNames;
  if (output === undefined || session.inputNames.length !== 1 || session.inputNames[0] !== inputName)
    throw new UnfitModel(`${path} does not take ${inputName} alone, but ${session.inputNames.join(', ')}`);

  const ask: AskModel = async (features) => {
    const outputs = await session.run({ [inputName]: new Tensor('float32', features, shape) });
    const probability = probabilityIn(outputs[output]);
    if (probability === null)
      throw new UnfitModel(`${path} does not answer with one probability from 0 to 1`);
    return probability;
  };
  try {
    await ask(new Float32Array(bands * (longestMs / 10)).fill(1));
  } catch (error) {
    if (error instanceof UnfitModel) throw error;
    throw new UnfitModel(`${path} does not take ${shape.join(' × ')} values: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  return ask;
};
