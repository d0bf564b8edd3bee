import test from 'ava';
import { mayBeTransferredTo, transferTarget } from '#src/domain/transfer-targets.ts';

const may = (number: string, ...targets: string[]): boolean => mayBeTransferredTo(number, targets, 'KR');

test('nobody may be rung who is not named', (t) => {
  t.false(may('0212345678'));
  t.false(may('0212345678', '0212345679', '0313456*'));
});

test('a whole number reaches that one, a prefix all that begin with it', (t) => {
  t.true(may('0212345678', '0212345678'));
  t.true(may('0212345678', '0212345*'));
  t.false(may('0212345678', '021234567'));
});

test('a prefix reaches none that costs extra; in full it is reached', (t) => {
  t.false(may('0607001234', '060*'));
  t.true(may('0607001234', '0607001234'));
});

test('no emergency number is ever rung', (t) => {
  t.false(may('119', '119'));
  t.false(may('112', '11*'));
});

test('a target is digits, and an asterisk at its end alone', (t) => {
  for (const target of ['0212345678', '021*']) t.regex(target, transferTarget);
  for (const target of ['*', '0*', '02*1', '+82*', '']) t.notRegex(target, transferTarget);
});
