// Before the page is drawn, so that it does not flash: the choice of last time, else that of the system.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch { /* no storage: the system decides */ }
