/** Value for a withheld caller number, because `from` is never empty. */
export const anonymous = 'anonymous';
