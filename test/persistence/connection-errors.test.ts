import test from 'ava';
import { connectionStartError, isTransient } from '#src/persistence/connection-errors.ts';

const withCode = (code: string, message = 'Something'): Error => Object.assign(new Error(message), { code });

test('an error that passes when the database is back is told from one that stays', (t) => {
  const passing = [
    withCode('ECONNREFUSED'),
    withCode('ECONNRESET'),
    withCode('EPIPE'),
    withCode('ETIMEDOUT'),
    Object.assign(withCode('ENOENT'), { syscall: 'connect' }),
    withCode('57P01'),
    withCode('08006'),
    withCode('53300'),
    withCode('40001'),
    withCode('40P01'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Wrapped', { cause: withCode('ECONNREFUSED') }),
    new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
  ];
  for (const error of passing)
    t.true(isTransient(error), `${error.message} ${String(Reflect.get(error, 'code'))}`);
  const staying = [
    withCode('23505'),
    withCode('42P01'),
    withCode('22P02'),
    Object.assign(withCode('ENOENT'), { syscall: 'open' }),
    new Error('A mistake'),
    'text',
    undefined,
  ];
  for (const error of staying) t.false(isTransient(error), String(error));
});

test('why the start failed is one line that names the setting and keeps the cause', (t) => {
  const cause = withCode('XX000', 'Something\nunheard of');
  const error = connectionStartError('db.example/trunkline', cause);
  t.is(
    error.message,
    'Cannot use the database at db.example/trunkline (GW_DATABASE_URL): Something unheard of',
  );
  t.is(error.cause, cause);
});
