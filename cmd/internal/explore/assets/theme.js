// The theme that was chosen before, set before anything is painted.
(() => {
  try {
    const theme = localStorage.getItem("gram.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's theme stands.
  }
})();
