/* Files of runs that nobody keeps. */
#ifndef STK_TUNE_RECIPE_REMOVE_FOLDER_H
#define STK_TUNE_RECIPE_REMOVE_FOLDER_H

/* Removes a folder with all in it. What cannot be removed stays. */
void stk_tune_remove_folder(const char *folder);

#endif
