/** The word for the number of a caller who shows none, wherever a number could stand: `from` is never empty. */
export const anonymous = 'anonymous';
