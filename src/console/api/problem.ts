/** What a request can come to, other than an answer. */
import { TrunklineProblem } from '#src/client/client.ts';

export { TrunklineProblem as Problem };

/** What is wrong, by the dotted path of the field. */
export const fieldsIn = ({ errors }: TrunklineProblem): ReadonlyMap<string, string> =>
  new Map(errors.map(({ path, message }) => [path, message]));

/** No answer came from the gateway. It may come back. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}
