/** Records which regular expressions of the code take linear time: `npm run record-expressions`. */
import { needsAnalysis, problemOf, shownExpression } from './judge-expression.ts';
import { allExpressions } from './read-expressions.ts';
import { readLinear, writeLinear } from './recorded-expressions.ts';

const recorded = readLinear();
const linear = allExpressions()
  .flatMap(({ expressions }) => expressions)
  .filter(needsAnalysis)
  .filter((expression) => recorded.has(shownExpression(expression)) || problemOf(expression) === undefined);
writeLinear(new Set(linear.map(shownExpression)));
