/** The key that people hold for commands, as it is written on their keyboard. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl ";
