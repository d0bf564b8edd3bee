/** The relay's reason for refusing a message of a gateway about a call that another gateway has taken over. */
export const takenByOther = 'another gateway has this call';
